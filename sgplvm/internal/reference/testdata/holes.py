#!/usr/bin/env python3
"""Writes the reference cases of data with holes into the folder holes beside this file.

Usage: python3 holes.py [name ...]     (needs mpmath; some minutes for all)

Each case is one model with its inputs and what a dense evaluation at 50 digits gives, without jitter, for

    q(U_c) = N(K a_c, K T diag(w) T' K)

at the best a_c and w of every channel c, with full matrices over all pairs of a latent and a spatial inducing point.
T is the Kronecker product of the solutions of T' K T = I, T' Psi2 T diagonal of every factor at the parameters of the
case, with which it moves in derivatives, where the statistics are those of examples and points weighted by the sum of the
weights of what was seen of each, at a noise precision of 100.

"seen" says which values are observed (rows as those of Y), "errors" has their standard errors. The other keys are those
of latent_kernels.py and of dynamical cases: T are times, mubar and lam the parameters of the paths. Derivatives are
central differences; the matrices, expectations and kernels are those of latent_kernels.py, and nothing is shared with
the library.
"""

import json
import os
import random
import sys

from mpmath import mp, mpf, exp, log, pi, sqrt, matrix, eigsy

from latent_kernels import (cholesky, solve, inverse, logdet, dot, expectation, terms, diagonal, latent, space, product,
                            divergence, spatial_kernel, plain, number, normal, positive, line)

mp.dps = 60
STEP = mpf(10) ** -18


def marginals(c):
    """Means and variances of the latent variables, and the divergence."""
    if "T" not in c:
        return c["mu"], c["S"], sum(divergence(m, s) for m, s in zip(c["mu"], c["S"]))
    n, d = len(c["T"]), len(c["mubar"][0])
    k = [[spatial_kernel({"kind": c["tkern"]["kind"], "variance": mpf(1), "lengthscale": c["tkern"]["lengthscale"]}, [a], [b])
          for b in c["T"]] for a in c["T"]]
    mu, s, kl = [[None] * d for _ in range(n)], [[None] * d for _ in range(n)], mpf(0)
    for q in range(d):
        m = [row[q] for row in c["mubar"]]
        root = [sqrt(row[q]) for row in c["lam"]]
        l = cholesky([[mpf(i == j) + root[i] * k[i][j] * root[j] for j in range(n)] for i in range(n)])
        km = [dot(row, m) for row in k]
        for i in range(n):
            v = [root[j] * k[i][j] for j in range(n)]
            mu[i][q], s[i][q] = km[i], k[i][i] - dot(v, solve(l, v))
        inv = inverse(l)
        kl += (logdet(l) + sum(inv[i][i] for i in range(n)) - n + dot(m, km)) / 2
    return mu, s, kl


def weight(c, row, channel):
    if not c["seen"][row][channel]:
        return mpf(0)
    e = c["errors"][row][channel] if "errors" in c else mpf(0)
    return 1 / (1 / c["beta"] + e ** 2)


def moments(c):
    """psi1 and psi2 of every example, and the divergence."""
    k, z = c["latent"], c["Z"]
    mu, s, kl = marginals(c)
    first = [[expectation(k, m, v, [terms(k, a)]) for a in z] for m, v in zip(mu, s)]
    second = [[[expectation(k, m, v, [terms(k, a), terms(k, b)]) for b in z] for a in z] for m, v in zip(mu, s)]
    zero = [diagonal(k, m, v) for m, v in zip(mu, s)]
    return zero, first, second, kl


def generalised(k, psi2):
    """T with T' K T = I and T' psi2 T diagonal, as a list of columns."""
    n = len(k)
    l = cholesky(k)

    def half(v):
        x = list(v)
        for i in range(n):
            x[i] = (x[i] - sum(l[i][j] * x[j] for j in range(i))) / l[i][i]
        return x

    rows = [half(row) for row in psi2]
    middle = [half([rows[i][j] for i in range(n)]) for j in range(n)]
    _, q = eigsy(matrix([[(middle[i][j] + middle[j][i]) / 2 for j in range(n)] for i in range(n)]))
    columns = []
    for j in range(n):
        x = [q[i, j] for i in range(n)]
        for i in reversed(range(n)):
            x[i] = (x[i] - sum(l[a][i] * x[a] for a in range(i + 1, n))) / l[i][i]
        columns.append(x)
    return columns


def basis(c):
    """The columns of T."""
    _, _, second, _ = moments(c)
    factors = c["spatial"]
    points = product([list(range(len(f["X"]))) for f in factors])
    n, dy = len(second), len(c["Y"][0])
    r = [mpf(0)] * n
    shares = [[mpf(0)] * len(f["X"]) for f in factors]
    for i in range(n):
        for p, at in enumerate(points):
            w = sum(weight({**c, "beta": mpf(100)}, i * len(points) + p, j) for j in range(dy))
            r[i] += w
            for f, a in enumerate(at):
                shares[f][a] += w
    mx = len(c["Z"])
    k0 = [[latent(c["latent"], a, b) for b in c["Z"]] for a in c["Z"]]
    psi2 = [[sum(r[i] * second[i][a][b] for i in range(n)) for b in range(mx)] for a in range(mx)]
    t = generalised(k0, psi2)
    for f, share in zip(factors, shares):
        spots = f["X"] if f["tied"] else f["Xu"]
        kf = [[spatial_kernel(f["kern"], a, b) for b in spots] for a in spots]
        cross = [[spatial_kernel(f["kern"], x, b) for b in spots] for x in f["X"]]
        psi2 = [[sum(w * row[a] * row[b] for w, row in zip(share, cross)) for b in range(len(spots))]
                for a in range(len(spots))]
        t = [[u * v for u in a for v in b] for a in t for b in generalised(kf, psi2)]
    return t


def evaluate(c):
    """The bound."""
    t = basis(c)
    zero, first, second, kl = moments(c)
    points = product([f["X"] for f in c["spatial"]])
    spots = product([f["X"] if f["tied"] else f["Xu"] for f in c["spatial"]])
    u = [(a, s) for a in range(len(c["Z"])) for s in range(len(spots))]
    m, ns, dy = len(u), len(points), len(c["Y"][0])
    cross = [[space(c, x, s) for s in spots] for x in points]
    prior = [[space(c, x, y) for y in spots] for x in spots]
    k0 = [[latent(c["latent"], a, b) for b in c["Z"]] for a in c["Z"]]
    kuu = [[k0[a][b] * prior[x][y] for b, y in u] for a, x in u]
    lk = cholesky(kuu)
    kinv = inverse(lk)
    tk = [[dot(row, col) for row in kuu] for col in t]
    kappa = [dot(a, b) for a, b in zip(t, tk)]
    bound = -kl
    for j in range(dy):
        psi2 = [[mpf(0)] * m for _ in range(m)]
        right, total, trace = [mpf(0)] * m, mpf(0), mpf(0)
        for i in range(len(first)):
            summed = [[mpf(0)] * len(spots) for _ in spots]
            for p in range(ns):
                w = weight(c, i * ns + p, j)
                if not w:
                    continue
                y = c["Y"][i * ns + p][j]
                total += (log(w / (2 * pi)) - w * y ** 2) / 2
                trace += w * zero[i] * space(c, points[p], points[p])
                for a in range(len(spots)):
                    for b in range(len(spots)):
                        summed[a][b] += w * cross[p][a] * cross[p][b]
                for v, (a, s) in enumerate(u):
                    right[v] += w * y * first[i][a] * cross[p][s]
            for v, (a, x) in enumerate(u):
                for o, (b, y) in enumerate(u):
                    psi2[v][o] += second[i][a][b] * summed[x][y]
        la = cholesky([[kuu[a][b] + psi2[a][b] for b in range(m)] for a in range(m)])
        bound += total + dot(right, solve(la, right)) / 2
        trace -= sum(dot(a, b) for a, b in zip(kinv, psi2))
        n = [dot(col, [dot(row, col) for row in psi2]) for col in t]
        w = [1 / (a + b) for a, b in zip(kappa, n)]
        # E log p's share of the covariance of q(U), and its share of the divergence from the prior of U.
        bound -= (trace + dot(w, n)) / 2
        bound -= (dot(w, kappa) - sum(log(v) for v in w) - m - 2 * logabs(t) - logdet(lk)) / 2
    return bound


def logabs(t):
    """log |det T|."""
    return logdet(cholesky([[dot(a, b) for b in t] for a in t])) / 2


def derivative(c, where):
    *path, last = where
    holder = c
    for key in path:
        holder = holder[key]
    value = holder[last]
    if isinstance(value, list):
        return [derivative(c, where + [i]) for i in range(len(value))]
    holder[last] = value + STEP
    high = evaluate(c)
    holder[last] = value - STEP
    low = evaluate(c)
    holder[last] = value
    return (high - low) / (2 * STEP)


def gradient(c):
    names = [["beta"], ["Z"]] + ([["mubar"], ["lam"], ["tkern", "lengthscale"]] if "T" in c else [["mu"], ["S"]])
    names += [["latent", name] for name in c["latent"]]
    g = {".".join(name): derivative(c, name) for name in names}
    for f, s in enumerate(c["spatial"]):
        for name in ("variance", "lengthscale"):
            g["spatial.%d.%s" % (f, name)] = derivative(c, ["spatial", f, "kern", name])
        if not s["tied"]:
            g["spatial.%d.Xu" % f] = derivative(c, ["spatial", f, "Xu"])
    return g


def finish(c):
    bound = evaluate(c)
    c["expected"] = {"bound": bound, "grad": gradient(c)}
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "holes")
    with open(os.path.join(folder, c["name"] + ".json"), "w") as f:
        json.dump(plain(c), f, indent=1)
        f.write("\n")
    print(c["name"], mp.nstr(bound, 12), flush=True)


def model(rng, name, factors, channels, n=4, dynamic=False, parts=False):
    d = 1 if dynamic else 2
    c = {"name": name, "beta": number(rng.uniform(3, 9)),
         "latent": {"variance": number(rng.uniform(0.8, 1.6)), "lengthscale": positive(rng, d, 0.8, 1.6)},
         "Z": [[number(-1.2 + 1.2 * k + 0.2 * rng.gauss(0, 1))] + normal(rng, d - 1) for k in range(3)], "spatial": []}
    if parts:
        c["latent"].update({"linear": positive(rng, d, 0.2, 1.0), "bias": number(0.5)})
    points = 1
    for kind, size, inducing in factors:
        f = {"kern": {"kind": kind, "variance": number(rng.uniform(0.7, 1.4)), "lengthscale": positive(rng, 1, 0.9, 1.8)},
             "X": line(rng, size, 1.0), "tied": not inducing}
        if inducing:
            f["Xu"] = line(rng, inducing, (size - 1) / max(1, inducing - 1))
        c["spatial"].append(f)
        points *= size
    if dynamic:
        c["T"] = [number(1.1 * i + 0.2 * rng.gauss(0, 1)) for i in range(n)]
        c["mubar"], c["lam"] = [normal(rng, d) for _ in range(n)], [positive(rng, d, 0.5, 3) for _ in range(n)]
        c["tkern"] = {"kind": "matern32", "variance": mpf(1), "lengthscale": positive(rng, 1, 1, 2)}
    else:
        c["mu"], c["S"] = [normal(rng, d) for _ in range(n)], [positive(rng, d, 0.05, 0.7) for _ in range(n)]
    c["Y"] = [normal(rng, channels) for _ in range(n * points)]
    c["seen"] = [[True] * channels for _ in c["Y"]]
    return c


def hide(c, miss):
    """miss(example, point by factor, channel) says what is missing."""
    points = product([list(range(len(f["X"]))) for f in c["spatial"]])
    for row in range(len(c["Y"])):
        for j in range(len(c["Y"][0])):
            if miss(row // len(points), points[row % len(points)], j):
                c["seen"][row][j] = False
    return c


def random_1(rng):
    return hide(model(rng, "random_tied", [("matern32", 4, 0)], 1), lambda i, p, j: rng.random() < 0.4)


def random_2(rng):
    chosen = {}
    return hide(model(rng, "random_product_dynamic", [("matern32", 3, 0), ("matern52", 2, 0)], 3, dynamic=True),
                lambda i, p, j: chosen.setdefault((i, tuple(p)), rng.random() < 0.35))


def random_3(rng):
    return hide(model(rng, "random_parts", [("matern52", 4, 3)], 1, parts=True), lambda i, p, j: rng.random() < 0.3)


def versions(rng):
    return hide(model(rng, "blocks_by_channel", [("matern32", 3, 0), ("matern32", 3, 2)], 3),
                lambda i, p, j: j < 2 and p[0] <= i % 2 or j == 2 and p[1] == (i + 1) % 3)


def examples(rng):
    return hide(model(rng, "example_gone", [("matern52", 4, 3)], 3, n=5), lambda i, p, j: i == 2 or i == 4 and p[0] > 1)


def points(rng):
    return hide(model(rng, "point_gone_dynamic", [("matern32", 4, 0)], 1, dynamic=True), lambda i, p, j: p[0] == 1 or i == 0 and p[0] == 3)


def products(rng):
    return hide(model(rng, "examples_by_points", [("matern32", 3, 0), ("matern52", 3, 2)], 1, n=5),
                lambda i, p, j: i == 1 or p[0] == 1 or p[1] == 2)


def products_1(rng):
    return hide(model(rng, "examples_by_points_dynamic", [("matern32", 4, 0)], 3, n=5, dynamic=True), lambda i, p, j: i in (0, 3) or p[0] == 2)


def errors(rng):
    c = hide(model(rng, "errors_random", [("matern32", 3, 0), ("matern32", 2, 0)], 3), lambda i, p, j: rng.random() < 0.25)
    c["errors"] = [[number(v) for v in positive(rng, 3, 0, 0.8)] for _ in c["Y"]]
    for row in c["errors"]:
        row[1] = row[0]  # the first two channels differ in what is missing alone
        if rng.random() < 0.3:
            row[2] = mpf(0)
    return c


def complete(rng):
    return model(rng, "nothing_missing", [("matern32", 3, 0), ("matern52", 3, 2)], 3)


def complete_1(rng):
    return model(rng, "nothing_missing_dynamic", [("matern32", 4, 0)], 1, dynamic=True)


if __name__ == "__main__":
    for seed, make in enumerate((random_1, random_2, random_3, versions, examples, points, products, products_1, errors, complete, complete_1)):
        rng = random.Random(100 + seed)
        case = make(rng)
        if not sys.argv[1:] or case["name"] in sys.argv[1:]:
            finish(case)
