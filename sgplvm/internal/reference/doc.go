// Package reference says what the model must give, for the tests of bound, predict and the face;
// nothing but tests imports it.
//
//   - Shape draws random models small enough to be computed by definition (shape.go, model.go).
//   - Dense is a model by the textbook formulas, with full matrices over all examples, points and
//     inducing points, and no formula in common with the model (dense.go, forecast.go).
//   - Cases are models with values computed with 50 digits (case.go), from testdata.
package reference
