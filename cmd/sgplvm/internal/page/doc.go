// Package page writes what a model has learned, and how well it does, as one HTML page that needs nothing else: no network, no
// other file.
//
// A file here is a section of the page (story.go, explorer.go, pictures.go, checks.go, choice.go, training.go, kernels.go), or what several
// of them draw with (chart.go, colour.go, image.go); sections.go has what they found and writes it (html.go). The style and the two scripts lie beside them:
// field.js evaluates the model's predictions at any latent variables, explorer.js is what the pointer and the keyboard do.
//
// The mean is linear in ψ1(x), the variance in the squares τ of the rotated ψ1(x) (sgplvm.Basis). Both maps are cut to low
// rank (lowrank.go), and their fields go into the page as 8-bit sprites, each with a scale and an offset. What that
// changes is measured against the model and said on the page.
package page
