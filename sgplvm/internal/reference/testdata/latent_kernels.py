#!/usr/bin/env python3
"""Writes the reference cases of latent kernels beyond RBF beside this file.

Usage: python3 latent_kernels.py      (needs mpmath; about a minute)

Each case is one model with its inputs and what a dense evaluation at 50 digits
gives: the collapsed bound, its derivative in every natural parameter, predicted
means and covariances, and the bound of a partly seen example, all without
jitter. Full matrices over all examples, points and inducing points stand for
every Kronecker product, derivatives are central differences, and expectations
under q(x) are products of one-dimensional Gaussian integrals, term by term of
the kernel, so that no formula is shared with the library.

The keys are those of the other files. latent.linear are the variances v_q of a
part sum_q v_q x_q x'_q and latent.bias that of a constant one; latent.variance
and latent.lengthscale are absent where there is no RBF part.
"""

import json
import os
import random

from mpmath import mp, mpf, exp, log, pi, quad, sqrt, inf

mp.dps = 60
STEP = mpf(10) ** -18


# Small dense linear algebra on lists of rows.

def cholesky(a):
    n = len(a)
    l = [[mpf(0)] * n for _ in range(n)]
    for j in range(n):
        for i in range(j, n):
            s = a[i][j] - sum(l[i][k] * l[j][k] for k in range(j))
            l[i][j] = sqrt(s) if i == j else s / l[j][j]
    return l


def solve(l, b):
    n, x = len(l), list(b)
    for i in range(n):
        x[i] = (x[i] - sum(l[i][k] * x[k] for k in range(i))) / l[i][i]
    for i in reversed(range(n)):
        x[i] = (x[i] - sum(l[k][i] * x[k] for k in range(i + 1, n))) / l[i][i]
    return x


def inverse(l):
    n = len(l)
    return [solve(l, [mpf(i == j) for i in range(n)]) for j in range(n)]


def logdet(l):
    return 2 * sum(log(l[i][i]) for i in range(len(l)))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


# The latent kernel as a function of x: a sum of terms coefficient * (Gaussian
# bumps around centres) * (power of each coordinate).

def terms(k, z):
    d = len(z)
    t = []
    if "lengthscale" in k:
        t.append((k["variance"], [z], [0] * d))
    for q, v in enumerate(k.get("linear", [])):
        t.append((v * z[q], [], [int(p == q) for p in range(d)]))
    if "bias" in k:
        t.append((k["bias"], [], [0] * d))
    return t


def integral(mu, s, centres, length, power):
    """E x^power * prod_c exp(-(x - c)^2 / (2 length^2)) under N(mu, s)."""
    if s == 0:
        return mu ** power * exp(-sum((mu - c) ** 2 for c in centres) / (2 * length ** 2))
    precision = 1 / s + sum(1 / length ** 2 for _ in centres)
    mean = (mu / s + sum(c / length ** 2 for c in centres)) / precision
    square = mu ** 2 / s + sum(c ** 2 / length ** 2 for c in centres) - precision * mean ** 2
    moment = [mpf(1), mean, mean ** 2 + 1 / precision][power]
    return moment * exp(-square / 2) / sqrt(s * precision)


def expectation(k, mu, s, factors):
    """E of a product of sums of terms under N(mu, diag s)."""
    total = mpf(0)

    def multiply(value, centres, power, rest):
        nonlocal total
        if rest:
            for v, c, p in rest[0]:
                multiply(value * v, centres + c, [a + b for a, b in zip(power, p)], rest[1:])
            return
        for q in range(len(mu)):
            length = k["lengthscale"][q] if centres else mpf(1)
            value *= integral(mu[q], s[q], [c[q] for c in centres], length, power[q])
        total += value

    multiply(mpf(1), [], [0] * len(mu), factors)
    return total


def diagonal(k, mu, s):
    """E k(x, x)."""
    return k.get("variance", 0) + k.get("bias", 0) + sum(
        v * (m ** 2 + w) for v, m, w in zip(k.get("linear", []), mu, s))


def latent(k, x, z):
    return expectation(k, x, [mpf(0)] * len(x), [terms(k, z)])


def check_integral():
    for power in range(3):
        for centres in ([], [mpf("0.7")], [mpf("0.7"), mpf("-0.4")]):
            mu, s, length = mpf("0.3"), mpf("0.8"), mpf("1.2")
            want = quad(lambda x: x ** power * exp(-(x - mu) ** 2 / (2 * s)) / sqrt(2 * pi * s)
                        * exp(-sum((x - c) ** 2 for c in centres) / (2 * length ** 2)), [-inf, -3, 0, 3, inf])
            assert abs(integral(mu, s, centres, length, power) - want) < mpf(10) ** -20


# Spatial kernels and grids.

def spatial_kernel(k, x, y):
    r = sqrt(sum(((a - b) / l) ** 2 for a, b, l in zip(x, y, k["lengthscale"])))
    if k["kind"] == "matern32":
        return k["variance"] * (1 + sqrt(mpf(3)) * r) * exp(-sqrt(mpf(3)) * r)
    if k["kind"] == "matern52":
        return k["variance"] * (1 + sqrt(mpf(5)) * r + 5 * r ** 2 / 3) * exp(-sqrt(mpf(5)) * r)
    raise ValueError(k["kind"])


def product(factors):
    points = [[]]
    for x in factors:
        points = [p + [a] for p in points for a in x]
    return points


def space(c, x, y):
    v = mpf(1)
    for f, a, b in zip(c["spatial"], x, y):
        v *= spatial_kernel(f["kern"], a, b)
    return v


def divergence(mu, s):
    return sum((m ** 2 + v - log(v) - 1) / 2 for m, v in zip(mu, s))


class Model:
    """The full matrices; U runs over latent inducing points, then spatial ones."""

    def __init__(self, c):
        self.c, k, beta = c, c["latent"], c["beta"]
        self.points = product([f["X"] for f in c["spatial"]])
        self.spots = product([f["X"] if f["tied"] else f["Xu"] for f in c["spatial"]])
        self.u = [(z, s) for z in c["Z"] for s in self.spots]
        n, m = len(c["mu"]) * len(self.points), len(self.u)
        cross = [[space(c, x, s) for s in self.spots] for x in self.points]
        kuu = [[latent(k, a, b) * space(c, x, y) for b, y in self.u] for a, x in self.u]
        psi1 = [[mpf(0)] * m for _ in range(n)]
        psi2 = [[mpf(0)] * m for _ in range(m)]
        psi0, ns, ms, mx = mpf(0), len(self.points), len(self.spots), len(c["Z"])
        for i, (mu, s) in enumerate(zip(c["mu"], c["S"])):
            first = [expectation(k, mu, s, [terms(k, z)]) for z in c["Z"]]
            second = self.second(mu, s)
            for p in range(ns):
                psi0 += diagonal(k, mu, s) * space(c, self.points[p], self.points[p])
                for a in range(m):
                    psi1[i * ns + p][a] = first[a // ms] * cross[p][a % ms]
                    for b in range(a + 1):
                        psi2[a][b] += second[a // ms][b // ms] * cross[p][a % ms] * cross[p][b % ms]
        for a in range(m):
            for b in range(a):
                psi2[b][a] = psi2[a][b]
        lk = cholesky(kuu)
        la = cholesky([[kuu[a][b] + beta * psi2[a][b] for b in range(m)] for a in range(m)])
        self.kinv, self.ainv = inverse(lk), inverse(la)
        dy = len(c["Y"][0])
        self.alpha = []
        self.kl = sum(divergence(mu, s) for mu, s in zip(c["mu"], c["S"]))
        bound = -self.kl
        for j in range(dy):
            y = [row[j] for row in c["Y"]]
            right = [beta * sum(psi1[i][a] * y[i] for i in range(n)) for a in range(m)]
            alpha = solve(la, right)
            self.alpha.append(alpha)
            bound += (n * log(beta / (2 * pi)) + logdet(lk) - logdet(la) - beta * dot(y, y) + dot(right, alpha)
                      - beta * psi0 + beta * sum(dot(a, b) for a, b in zip(self.kinv, psi2))) / 2
        self.bound = bound

    def second(self, mu, s):
        k, z = self.c["latent"], self.c["Z"]
        return [[expectation(k, mu, s, [terms(k, a), terms(k, b)]) for b in z] for a in z]

    def forward(self, mu, s, points):
        """Mean (points x channels) and covariance of each channel."""
        c, k, ms = self.c, self.c["latent"], len(self.spots)
        first = [expectation(k, mu, s, [terms(k, z)]) for z in c["Z"]]
        second = self.second(mu, s)
        ks = [[space(c, x, u) for u in self.spots] for x in points]
        m = len(self.u)

        def contract(weight, a, b):
            return sum(weight(u, v) * second[u // ms][v // ms] * ks[a][u % ms] * ks[b][v % ms]
                       for u in range(m) for v in range(m))

        n = len(points)
        mean = [[sum(alpha[u] * first[u // ms] * ks[a][u % ms] for u in range(m)) for alpha in self.alpha]
                for a in range(n)]
        shared = [[diagonal(k, mu, s) * space(c, points[a], points[b])
                   - contract(lambda u, v: self.kinv[u][v] - self.ainv[u][v], a, b)
                   for b in range(n)] for a in range(n)]
        cov = [[[shared[a][b] + contract(lambda u, v: alpha[u] * alpha[v], a, b) - mean[a][j] * mean[b][j]
                 for b in range(n)] for a in range(n)] for j, alpha in enumerate(self.alpha)]
        return mean, cov

    def test_bound(self, mu, s, observed, y):
        beta = self.c["beta"]
        mean, cov = self.forward(mu, s, [self.points[i] for i in observed])
        bound = -divergence(mu, s)
        for a, row in enumerate(y):
            for j, v in enumerate(row):
                bound += log(beta / (2 * pi)) / 2 - beta / 2 * ((v - mean[a][j]) ** 2 + cov[j][a][a])
        return bound


def derivative(c, where):
    """Central differences of the bound in a number, a list or a list of lists."""
    *path, last = where
    holder = c
    for key in path:
        holder = holder[key]
    value = holder[last]
    if isinstance(value, list):
        return [derivative(c, where + [i]) for i in range(len(value))]
    holder[last] = value + STEP
    high = Model(c).bound
    holder[last] = value - STEP
    low = Model(c).bound
    holder[last] = value
    return (high - low) / (2 * STEP)


def gradient(c):
    g = {name: derivative(c, [name]) for name in ("beta", "Z", "mu", "S")}
    for name in c["latent"]:
        g["latent." + name] = derivative(c, ["latent", name])
    for f, s in enumerate(c["spatial"]):
        for name in ("variance", "lengthscale"):
            g["spatial.%d.%s" % (f, name)] = derivative(c, ["spatial", f, "kern", name])
        if not s["tied"]:
            g["spatial.%d.Xu" % f] = derivative(c, ["spatial", f, "Xu"])
    return g


def finish(c, rng, points):
    model = Model(c)
    d = len(c["Z"][0])
    forward = []
    for s in ([mpf(0)] * d, positive(rng, d, 0.1, 0.8)):
        mu = normal(rng, d)
        mean, cov = model.forward(mu, s, product(points))
        forward.append({"mu": mu, "S": s, "X": points, "mean": mean, "cov": cov})
    mu, s = normal(rng, d), positive(rng, d, 0.05, 0.5)
    observed = sorted(rng.sample(range(len(model.points)), len(model.points) // 2 + 1))
    y = [normal(rng, len(c["Y"][0])) for _ in observed]
    c["expected"] = {
        "bound": model.bound, "kl": model.kl, "grad": gradient(c), "latent_mean": c["mu"], "latent_variance": c["S"],
        "forward": forward,
        "test": {"mu": mu, "S": s, "observed": observed, "Y": y, "bound": model.test_bound(mu, s, observed, y)},
    }
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), c["name"] + ".json"), "w") as f:
        json.dump(plain(c), f, indent=1)
        f.write("\n")


def plain(v):
    if isinstance(v, mpf):
        return float(v)
    if isinstance(v, dict):
        return {k: plain(x) for k, x in v.items()}
    if isinstance(v, list):
        return [plain(x) for x in v]
    return v


# Inputs are rounded decimals, taken as the float64 that they are read as.

def number(v):
    return mpf(float("%.6f" % v))


def normal(rng, n, scale=1.0):
    return [number(scale * rng.gauss(0, 1)) for _ in range(n)]


def positive(rng, n, low, high):
    return [number(rng.uniform(low, high)) for _ in range(n)]


def line(rng, n, spacing):
    return [[number(spacing * i + 0.1 * rng.gauss(0, 1))] for i in range(n)]


def product_grid(rng):
    """All three parts, a tied and a free spatial factor of one dimension each."""
    d = 2
    return {
        "name": "rbf_linear_bias_product_grid", "beta": number(7.5),
        "latent": {"variance": number(0.8), "lengthscale": positive(rng, d, 0.8, 1.5),
                   "linear": positive(rng, d, 0.2, 1.2), "bias": number(0.6)},
        "Z": [normal(rng, d) for _ in range(3)],
        "spatial": [
            {"kern": {"kind": "matern32", "variance": number(1.3), "lengthscale": positive(rng, 1, 1, 2)},
             "X": line(rng, 3, 1.0), "tied": True},
            {"kern": {"kind": "matern52", "variance": number(0.9), "lengthscale": positive(rng, 1, 1, 2)},
             "X": line(rng, 3, 1.0), "Xu": line(rng, 2, 1.5), "tied": False}],
        "Y": [normal(rng, 2) for _ in range(4 * 9)],
        "mu": [normal(rng, d) for _ in range(4)], "S": [positive(rng, d, 0.05, 0.7) for _ in range(4)],
    }, [line(rng, 2, 1.3), line(rng, 2, 0.7)]


def scattered(rng):
    """No RBF part: three inducing inputs for a kernel of rank three; scattered
    points of two dimensions."""
    d = 2
    return {
        "name": "linear_bias_scattered", "beta": number(11.0),
        "latent": {"linear": positive(rng, d, 0.2, 1.5), "bias": number(0.4)},
        "Z": [normal(rng, d) for _ in range(3)],
        "spatial": [{"kern": {"kind": "matern32", "variance": number(1.1), "lengthscale": positive(rng, 2, 0.8, 1.6)},
                     "X": [normal(rng, 2) for _ in range(6)], "tied": True}],
        "Y": [normal(rng, 3) for _ in range(5 * 6)],
        "mu": [normal(rng, d) for _ in range(5)], "S": [positive(rng, d, 0.05, 0.7) for _ in range(5)],
    }, [[normal(rng, 2) for _ in range(3)]]


if __name__ == "__main__":
    check_integral()
    for seed, make in enumerate((product_grid, scattered)):
        rng = random.Random(seed)
        case, points = make(rng)
        finish(case, rng, points)
