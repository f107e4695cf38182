#!/usr/bin/env python3
"""Writes reference.json beside this file: what a dense evaluation at 50 digits says of small emulators.

Usage: python3 reference.py     (needs mpmath; a minute)

Each case has inputs x, coordinates p, a kernel (form, share w, scales l, parts s, linear weights u) and a new input. Expected are, with the a and b of
every column of p at which its density N(0, a K + b I) is largest: these, the log density of all columns, its derivatives in w, log l and s by central
differences (a and b maximised again), means and variances at the new input with b, and for every run the error of its mean given the others, with the
variance. Nothing is shared with the library.
"""

import json
import os
import random

from mpmath import mp, mpf, exp, log, pi, sqrt, matrix

mp.dps = 60
STEP = mpf(10) ** -15


def kernel(c, x, z):
    d = range(len(x))
    if c["form"] == "product":
        k = mpf(1)
        for q in d:
            k *= 1 - c["s"][q] + c["s"][q] * exp(-((x[q] - z[q]) / c["l"][q]) ** 2 / 2)
    else:
        r2 = sum(((x[q] - z[q]) / c["l"][q]) ** 2 for q in d)
        if c["form"] == "rbf":
            k = exp(-r2 / 2)
        else:
            r = sqrt(5 * r2)
            k = (1 + r + r * r / 3) * exp(-r)
    return c["w"] * k + (1 - c["w"]) * sum(c["u"][q] * x[q] * z[q] for q in d)


def gram(c, x):
    return matrix([[kernel(c, a, b) for b in x] for a in x])


def factor(k, r):
    n = k.rows
    l = matrix(n, n)
    for i in range(n):
        for j in range(i + 1):
            v = k[i, j] + (r if i == j else 0) - sum(l[i, t] * l[j, t] for t in range(j))
            l[i, j] = sqrt(v) if i == j else v / l[j, j]
    return l


def solve(l, y):
    n = l.rows
    v = [mpf(0)] * n
    for i in range(n):
        v[i] = (y[i] - sum(l[i, j] * v[j] for j in range(i))) / l[i, i]
    for i in reversed(range(n)):
        v[i] = (v[i] - sum(l[j, i] * v[j] for j in range(i + 1, n))) / l[i, i]
    return v


def density(k, r, y):
    """The log density at the best a, and that a."""
    n = len(y)
    l = factor(k, r)
    a = sum(s * t for s, t in zip(solve(l, y), y)) / n
    return -(n * log(2 * pi * a) + n + 2 * sum(log(l[i, i]) for i in range(n))) / 2, a


def best(k, y):
    """log r, r = b/a, from -16 to 6: a grid, then Newton with differences."""
    f = lambda u: density(k, exp(u), y)[0]
    u = max((mpf(t) / 4 - 16 for t in range(89)), key=f)
    if u == -16:
        return u
    h = mpf(10) ** -12
    for _ in range(12):
        a, b, c = f(u - h), f(u), f(u + h)
        step = (c - a) / 2 * h / (c - 2 * b + a)
        u -= max(-1, min(1, step))
    return u


def evidence(c, x, p):
    k = gram(c, x)
    return sum(density(k, exp(best(k, y)), y)[0] for y in p)


def derivative(c, x, p, change):
    return (evidence(change(c, STEP), x, p) - evidence(change(c, -STEP), x, p)) / (2 * STEP)


def changed(name, q, relative):
    def change(c, h):
        n = {k: (list(v) if isinstance(v, list) else v) for k, v in c.items()}
        if q is None:
            n[name] += h
        else:
            n[name][q] = n[name][q] * exp(h) if relative else n[name][q] + h
        return n
    return change


def case(form, seed):
    rng = random.Random(seed)
    draw = lambda: mpf(round(rng.gauss(0, 1), 3))
    n, d, modes = 7, 2, 3
    c = {"form": form, "w": mpf("0.625"), "l": [mpf("0.75"), mpf("1.5")], "s": [mpf("0.5"), mpf("0.875")] if form == "product" else [],
         "u": [mpf("0.5"), mpf("0.25")]}
    x = [[draw() for _ in range(d)] for _ in range(n)]
    new = [draw() for _ in range(d)]
    p = [[x[i][0] * (j + 1) + x[i][1] ** 2 + draw() / 3 for i in range(n)] for j in range(modes)]  # a list for each column
    k = gram(c, x)
    out = {"a": [], "b": [], "mean": [], "variance": [], "error": [], "without": [], "value": evidence(c, x, p)}
    for y in p:
        r = exp(best(k, y))
        a = density(k, r, y)[1]
        l = factor(k, r)
        row = [kernel(c, new, z) for z in x]
        out["a"].append(a)
        out["b"].append(a * r)
        out["mean"].append(sum(s * t for s, t in zip(row, solve(l, y))))
        out["variance"].append(a * (kernel(c, new, new) + r - sum(s * t for s, t in zip(row, solve(l, row)))))
        errors, variances = [], []
        for i in range(n):
            rest = [j for j in range(n) if j != i]
            li = factor(matrix([[k[s, t] for t in rest] for s in rest]), r)
            row = [k[i, j] for j in rest]
            errors.append(y[i] - sum(s * t for s, t in zip(row, solve(li, [y[j] for j in rest]))))
            variances.append(a * (k[i, i] + r - sum(s * t for s, t in zip(row, solve(li, row)))))
        out["error"].append(errors)
        out["without"].append(variances)
    out["share"] = derivative(c, x, p, changed("w", None, False))
    out["scales"] = [derivative(c, x, p, changed("l", q, True)) for q in range(d)]
    out["parts"] = [derivative(c, x, p, changed("s", q, False)) for q in range(len(c["s"]))]
    return {"form": form, "share": c["w"], "scales": c["l"], "parts": c["s"], "linear": c["u"], "x": x, "p": p, "new": new, "expected": out}


def plain(v):
    if isinstance(v, dict):
        return {k: plain(x) for k, x in v.items()}
    if isinstance(v, list):
        return [plain(x) for x in v]
    return float(v) if isinstance(v, mpf) else v


if __name__ == "__main__":
    cases = [plain(case(form, seed)) for seed, form in enumerate(["rbf", "matern52", "product"])]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference.json"), "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
