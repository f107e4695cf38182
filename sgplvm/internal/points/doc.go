// Package points fills in partly seen examples at the points of one set, from tables that were multiplied out for these: the evidence of
// their values, q(x), its refinement, noise by examples like the one at hand, conditioning, and the mixture with what similar examples say (docs/math.md, sections
// 12 to 16 and 23). It knows neither trainer nor data nor the user's units.
//
// Contents are the tables, in 64, 32 or 16 bits a number. New makes a Model of them, which does not change; NewWorkspace has all room that one goroutine needs.
//
//	w.Observe(values)     scaled values, NaN where they are missing
//	w.Infer()             q(x): w.Latent
//	w.Complete()          mean and variance of what is missing: w.Result
//	w.Predict(mu, s)      the same at a latent posterior
//	w.Surprise, w.Foresee how surprising the observed values were, afterwards or by what was known before
//
// allocate nothing when warm. Encode and Decode have Contents as a file, which package edge opens.
package points
