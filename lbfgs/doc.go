// Package lbfgs minimises a smooth function of many variables with the
// limited-memory BFGS method and a strong Wolfe line search, on plain slices.
//
// # The problem
//
// An [Objective] returns f(x) and writes the gradient ∇f(x), both in one call,
// because the two share nearly all of their work. [Minimize] walks downhill from
// x₀ until the gradient is small, the value no longer changes, a budget is used
// up, or somebody asks it to stop, and returns the lowest point that it saw:
//
//	r, err := lbfgs.Minimize(ctx, f, x0, lbfgs.Options{})
//
// The zero [Options] work. A [Minimizer] is the same thing with its memory kept
// between calls, for many small problems of one size: once warm it allocates
// nothing.
//
// # The direction
//
// After a step s = x₊ − x with the change of gradient y = ∇f(x₊) − ∇f(x), every
// quasi-Newton method asks of its inverse Hessian H that H·y = s. BFGS takes the
// symmetric positive definite H nearest to the last one; L-BFGS never stores H
// but only the last m pairs (s, y), and applies
//
//	H₊ = (I − ρ·s·yᵀ)·H·(I − ρ·y·sᵀ) + ρ·s·sᵀ,   ρ = 1/(sᵀy),
//
// m times to the gradient by the two-loop recursion of Nocedal (1980): 4·m·n
// multiplications and 2·m·n numbers. The recursion starts from H = γ·I with
// γ = sᵀy/yᵀy of the newest pair, a curvature measured along the last step
// (Nocedal & Wright 2006, equation 7.20). Before the first pair, γ = h/‖∇f(x₀)‖,
// so that the first trial point lies at the distance h = [Options.InitialStep]
// from x₀ whatever the scale of f.
//
// H stays positive definite as long as sᵀy > 0. The curvature condition below
// gives that in exact arithmetic; a pair for which it is lost to rounding,
// sᵀy ≤ 2⁻⁵⁰·‖s‖·‖y‖, is left out.
//
// # The line search
//
// Along the direction d let φ(a) = f(x + a·d). A step a is accepted when it meets
// the strong Wolfe conditions
//
//	φ(a) ≤ φ(0) + c₁·a·φ′(0)    and    |φ′(a)| ≤ c₂·|φ′(0)|.
//
// The search keeps a bracket: lo, the best step so far that meets the first
// condition, with φ falling from it towards hi. Without a hi it grows the step
// two- to tenfold; with one it tries the minimiser of the cubic through both
// ends, kept a twentieth of the bracket away from them, and bisects when two trials
// have not brought the bracket down to two thirds (Moré & Thuente 1994;
// Nocedal & Wright 2006, algorithms 3.5 and 3.6).
//
// An infeasible trial, one whose value or gradient is NaN or infinite, only
// becomes hi: the search retreats from it, and treats it as a wall when the
// minimum lies against it. If no strong Wolfe point can be had on this side of
// the wall, a step that decreases f is taken as it is.
//
// Near a minimum φ(a) − φ(0) drowns in the rounding error of f long before the
// slopes do. Hager and Zhang (2005) therefore judge such steps by slope alone.
// Here the first condition is relaxed by [Options.Noise]·|f|, measured from the
// lowest of the recent values, so that relaxed steps cannot climb from one to the
// next.
//
// When a search fails, or the direction does not descend, the pairs are dropped
// and the iteration starts again down the gradient. A failure right after that
// ends the run.
//
// # Blocks of variables in turn
//
// An optimisation that frees its variables block by block comes back to each block
// again and again. [Options.InitialPairs] hands the pairs of the last visit on, so that
// the curvature is known from the first step. The function has changed a little
// since then; BFGS needs of the pairs no more than sᵀy > 0.
//
// # What is promised
//
//   - [Result.F] is bit for bit the objective's value at [Result.X], and the
//     lowest that was seen; [Result.Gradient] is the gradient there. So it is
//     after cancellation and every other early end.
//   - The objective is never called with a coordinate that is NaN or infinite.
//   - Sums run in index order, and nothing depends on time, addresses or the number
//     of threads: the same input gives the same bits.
//   - A [State] holds everything that the next iteration depends on. A run that is
//     stopped, saved, loaded and continued gives the bits of one never stopped.
//   - Multiplying f by a power of two (and GradTolerance with it) changes no bit of
//     any x, short of overflow and underflow.
//
// # References
//
//   - J. Nocedal, Updating quasi-Newton matrices with limited storage, Mathematics of
//     Computation 35 (1980) 773–782.
//   - D. C. Liu and J. Nocedal, On the limited memory BFGS method for large scale
//     optimization, Mathematical Programming 45 (1989) 503–528.
//   - J. J. Moré and D. J. Thuente, Line search algorithms with guaranteed sufficient
//     decrease, ACM Transactions on Mathematical Software 20 (1994) 286–307.
//   - W. W. Hager and H. Zhang, A new conjugate gradient method with guaranteed descent
//     and an efficient line search, SIAM Journal on Optimization 16 (2005) 170–192.
//   - J. Nocedal and S. J. Wright, Numerical Optimization, second edition, Springer 2006.
package lbfgs
