// Package infer holds the formulas of one partly seen example that work in room that is given to them: the
// evidence L* as a function of q(x) and its maximum (docs/math.md, section 12), how variances follow the example (14.3),
// what earlier examples of a stream say of it (23), and which training examples are like it (14.4 and 16.3). Full
// models (internal/predict) and compiled ones (edge) use them alike, so that both give the same answers.
package infer
