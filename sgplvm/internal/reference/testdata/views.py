#!/usr/bin/env python3
"""Writes views/two.json: two views of the same examples over one q(X), at 50 digits.

Usage: python3 views.py      (needs mpmath; about a minute)

The views are models as in latent_kernels.py, a grid and scattered points, of the
same mu and S. The joint bound is the sum of the dense bounds of both with one
divergence; its derivatives are central differences. Those in mu and S are beside
it, those in what belongs to a view are in its "expected".
"""

import json
import os
import random

from latent_kernels import STEP, Model, plain, product_grid, scattered


def bound(views):
    models = [Model(c) for c in views]
    return sum(m.bound + m.kl for m in models) - models[0].kl


def derivative(views, holder, key):
    """In a number, a list or a list of lists, which the views may share."""
    value = holder[key]
    if isinstance(value, list):
        return [derivative(views, value, i) for i in range(len(value))]
    holder[key] = value + STEP
    high = bound(views)
    holder[key] = value - STEP
    low = bound(views)
    holder[key] = value
    return (high - low) / (2 * STEP)


def gradient(views, c):
    g = {name: derivative(views, c, name) for name in ("beta", "Z")}
    for name in c["latent"]:
        g["latent." + name] = derivative(views, c["latent"], name)
    for f, s in enumerate(c["spatial"]):
        for name in ("variance", "lengthscale"):
            g["spatial.%d.%s" % (f, name)] = derivative(views, s["kern"], name)
        if not s["tied"]:
            g["spatial.%d.Xu" % f] = derivative(views, s, "Xu")
    return g


if __name__ == "__main__":
    rng = random.Random(75)
    views = [make(rng)[0] for make in (product_grid, scattered)]
    first, second = views
    n, points = len(first["mu"]), len(second["spatial"][0]["X"])
    second["mu"], second["S"], second["Y"] = first["mu"], first["S"], second["Y"][:n * points]
    two = {"bound": bound(views), "mu": derivative(views, first, "mu"), "S": derivative(views, first, "S")}
    for c in views:
        c["expected"] = {"grad": gradient(views, c)}
    two["views"] = views
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "views", "two.json"), "w") as f:
        json.dump(plain(two), f, indent=1)
        f.write("\n")
