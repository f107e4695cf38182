// Package opticalflow estimates how the contents of one picture move to another: a displacement for every pixel.
//
// Pictures are halved until their shorter side has about 16 pixels. On the coarsest level one displacement of the whole
// picture is found by trying all whole pixels. From there each level starts at the flow of the coarser one:
//
//  1. Patches of 8×8 pixels, four apart, take the best of that flow and of their neighbours' displacements, and
//     improve it by inverse search: Gauss-Newton steps whose matrix is that of the first picture (Kroeger et al. 2016).
//
//  2. On the three coarsest levels, patches that still fit badly try all whole pixels. What they find counts where two
//     neighbours have found the same: what moves far and by itself is lost on coarser levels, which show what is around it.
//
//  3. The displacement of a pixel is a mean over the patches that cover it, weighted by how well they fit there.
//
//  4. A variational refinement minimises, over the flow w of all pixels,
//
//     Σ ψ(|I_b(s + w) − I_a(s)|²) + γ·ψ(|∇I_b(s + w) − ∇I_a(s)|²) + α·ψ(|∇w|²),   ψ(x²) = √(x² + ε²)
//
//     by fixed-point iterations with successive over-relaxation (Brox et al. 2004). The second term does not see
//     changes of brightness, and ψ lets what appears, vanishes or tears count little.
//
//  5. What patches have found in both directions is kept where it fits far better than what the refinement made of it: an object that is small
//     and moves far costs it more along its outline than it brings.
//
// The same pictures give the same bits at any GOMAXPROCS.
//
// Sources: T. Kroeger, R. Timofte, D. Dai and L. Van Gool, "Fast optical flow using dense inverse search", ECCV 2016;
// T. Brox, A. Bruhn, N. Papenberg and J. Weickert, "High accuracy optical flow estimation based on a theory for
// warping", ECCV 2004.
package opticalflow
