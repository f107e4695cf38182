"""Tests of package kronfield as it is installed: python3 -m unittest discover python/tests"""

import json
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

import kronfield

warnings.simplefilter("ignore")


def frames(n=24, h=5, w=4):
    """Return maps of a wave that two numbers make."""
    t, y, x = np.arange(n)[:, None, None], np.arange(h)[None, :, None], np.arange(w)[None, None, :]
    return 10 + np.sin(t / 4 + x / 3) + 0.5 * np.cos(t / 7 - y / 2)


def holes(values, every=7):
    """Return values with gaps."""
    damaged = values.copy()
    damaged.reshape(-1)[::every] = np.nan
    return damaged


class Functions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.truth = frames()
        self.damaged = holes(self.truth)
        self.gaps = np.isnan(self.damaged)

    def command(self, *args):
        """Run the program as a user does."""
        return subprocess.run([kronfield.program(), *map(str, args)], check=True, capture_output=True, text=True).stdout

    def near(self, values):
        """Check that gaps are filled in well, and that nothing else has changed."""
        values = np.asarray(values)
        self.assertTrue(np.array_equal(values[~self.gaps], self.truth[~self.gaps]))
        self.assertLess(np.sqrt(np.mean((values - self.truth)[self.gaps] ** 2)), 0.3)

    def test_fill_numpy(self):
        """fill gives the command's numbers, to the bit; a masked array is one with gaps."""
        np.save(self.folder / "d.npy", self.damaged)
        self.command("fill", "-data", self.folder / "d.npy", "-out", self.folder / "o.npy", "-variance", self.folder / "v.npy", "-effort", "none")
        filled = kronfield.fill(self.damaged, effort="none")
        self.near(filled.values)
        self.assertTrue(np.array_equal(filled.values, np.load(self.folder / "o.npy")))
        self.assertTrue(np.array_equal(filled.standard_error, np.sqrt(np.load(self.folder / "v.npy"))))
        self.assertEqual(filled.about["missing"], int(self.gaps.sum()))
        masked = kronfield.fill(np.ma.masked_array(self.truth, self.gaps), effort="none")
        self.assertTrue(np.array_equal(masked.values, filled.values))
        seen = kronfield.fill(self.truth, observed=~self.gaps, effort="none")
        self.assertTrue(np.array_equal(seen.values, filled.values))

    def test_fill_pandas(self):
        """A DataFrame stays one, with its dates, its columns of words and its whole columns."""
        index = pd.date_range("2020-02-20", periods=24, freq="D")
        table = pd.DataFrame(self.damaged.reshape(24, 20)[:, :4], index=index, columns=list("abcd"))
        table.insert(1, "word", "x")
        table["count"] = np.arange(24)
        filled = kronfield.fill(table, effort="none")
        self.assertEqual(list(filled.values.columns), ["a", "word", "b", "c", "d", "count"])
        self.assertTrue(filled.values.index.equals(index) and filled.standard_error.index.equals(index))
        self.assertEqual(filled.values["count"].dtype, table["count"].dtype)
        self.assertFalse(filled.values.isna().any().any())
        seen = table["a"].notna()
        self.assertTrue((filled.values["a"][seen] == table["a"][seen]).all())
        self.assertTrue((filled.standard_error["a"][~seen] > 0).all() and (filled.standard_error["a"][seen] == 0).all())
        np.save(self.folder / "d.npy", table[["a", "b", "c", "d", "count"]].to_numpy(float))
        np.save(self.folder / "t.npy", (index - pd.Timestamp(0)) / pd.Timedelta("1D"))
        self.command("fill", "-data", self.folder / "d.npy", "-times", self.folder / "t.npy", "-out", self.folder / "o.npy", "-effort", "none")
        self.assertTrue(np.array_equal(filled.values["a"], np.load(self.folder / "o.npy")[:, 0]))

    def test_fill_xarray(self):
        """A DataArray stays one, with coordinates, dates, attributes and type; land stays without values."""
        land = self.damaged.copy()
        land[:, 0, 0] = np.nan
        data = xr.DataArray(
            land.astype("float32"),
            dims=("time", "lat", "lon"),
            coords={"time": pd.date_range("2020-02-20", periods=24, freq="D"), "lat": np.linspace(60, 50, 5), "lon": np.linspace(0, 9, 4), "height": 2.0},
            attrs={"units": "K"},
            name="sst",
        )
        filled = kronfield.fill(data, effort="none")
        for array in filled[:2]:
            self.assertTrue(xr.Dataset(coords=array.coords).identical(xr.Dataset(coords=data.coords)))
            self.assertEqual((array.dtype, array.attrs), (data.dtype, data.attrs))
            self.assertEqual(int(array.isnull().sum()), 24)
        values = filled.values.values
        self.assertTrue(np.array_equal(values[~np.isnan(land)], land.astype("float32")[~np.isnan(land)]))
        self.assertEqual((filled.values.name, filled.standard_error.name), ("sst", "sst_standard_error"))

    def test_impute_xarray(self):
        """A model that knows times takes those of a DataArray, as it does when they are given."""
        days = pd.date_range("2020-02-20", periods=24, freq="D")
        array = lambda v, at: xr.DataArray(v, dims=("time", "lat", "lon"), coords={"time": at})
        model = kronfield.train(array(self.truth, days), self.folder / "x.model", effort="none")
        own = kronfield.impute(model, array(self.damaged[:6], days[:6]))
        given = kronfield.impute(model, self.damaged[:6], times=days[:6])
        without = kronfield.impute(model, self.damaged[:6])
        self.assertTrue(np.array_equal(own.values.values, given.values))
        self.assertFalse(np.array_equal(own.values.values, without.values))

    def test_fill_dataset(self):
        """Variables of a Dataset with the same dimensions are filled in together, and the others stay; a model of them predicts a Dataset."""
        time = pd.date_range("2020-02-20", periods=24, freq="D")
        gaps = {"a": self.damaged, "b": holes(100 * self.truth, 11).astype("float32")}
        data = xr.Dataset(
            {n: (("time", "y", "x"), v, {"units": "K"}) for n, v in gaps.items()} | {"land": (("y", "x"), np.ones((5, 4), int)), "count": 3},
            coords={"time": time, "y": np.arange(5) * 2.0},
        )
        filled = kronfield.fill(data, effort="none")
        self.assertEqual((list(filled.values), list(filled.standard_error)), (["a", "b", "land", "count"], ["a", "b"]))
        self.near(filled.values["a"])
        for name, values in gaps.items():
            seen = ~np.isnan(values)
            self.assertEqual((filled.values[name].dtype, filled.values[name].attrs), (data[name].dtype, data[name].attrs))
            self.assertTrue(np.array_equal(filled.values[name].values[seen], values[seen]))
            self.assertTrue((filled.standard_error[name].values[seen] == 0).all() and (filled.standard_error[name].values[~seen] > 0).all())
        self.assertLess(float(np.abs(filled.values["b"] - 100 * self.truth).max()), 30)
        np.save(self.folder / "d.npy", np.stack([gaps["a"], gaps["b"].astype(float)], -1))
        np.save(self.folder / "t.npy", (time - pd.Timestamp(0)) / pd.Timedelta("1D"))
        self.command("fill", "-data", self.folder / "d.npy", "-times", self.folder / "t.npy", "-out", self.folder / "o.npy", "-effort", "none")
        self.assertTrue(np.array_equal(filled.values["a"], np.load(self.folder / "o.npy")[..., 0]))
        model = kronfield.train(data, self.folder / "m.model", effort="none")
        later = kronfield.predict(model, times=time[:2]).values
        self.assertEqual((later["b"].shape, later["b"].attrs, list(later.time.values)), ((2, 5, 4), {"units": "K"}, list(time[:2].values)))

    def test_fill_long(self):
        """A long DataFrame stays one, whatever the order of its rows; a column of dates is the time of a wide one."""
        index = pd.date_range("2020-02-20", periods=24, freq="D")
        wide = pd.DataFrame(self.damaged.reshape(24, 20)[:, :4], index=index.rename("day"), columns=list("PQRS"))
        long = wide.reset_index().melt("day", var_name="site", value_name="t").assign(note="x").drop(index=[3, 50]).sample(frac=1, random_state=1)
        filled = kronfield.fill(long, effort="none")
        self.assertTrue(filled.values[["day", "site", "note"]].equals(long[["day", "site", "note"]]) and filled.values.index.equals(long.index))
        seen = long["t"].notna()
        self.assertTrue((filled.values["t"][seen] == long["t"][seen]).all() and filled.values["t"].notna().all())
        self.assertTrue(((filled.standard_error["t"] == 0) == seen).all())
        truth = pd.DataFrame(self.truth.reshape(24, 20)[:, :4], index=index, columns=list("PQRS")).stack()
        self.assertLess(np.abs(filled.values["t"].to_numpy() - truth.reindex(pd.MultiIndex.from_frame(long[["day", "site"]])).to_numpy()).max(), 0.5)
        dated = kronfield.fill(wide.reset_index(), effort="none").values
        self.assertTrue(np.array_equal(dated[list("PQRS")], kronfield.fill(wide, effort="none").values))

    def test_fill_roles(self):
        """Numbers that are names, words and truth values stay as they are and count as they do to the command; the rows of an index of two keys are told apart by it."""
        table = pd.DataFrame(self.damaged.reshape(24, 20)[:, :3], columns=["a", 7, "c"], index=np.arange(24) % 5)
        table.insert(0, "customer", np.arange(24) * 7 % 24 + 100)
        table["word"], table["ok"] = ["u", "v", "w"] * 8, np.arange(24) % 2 == 0
        filled = kronfield.fill(table, effort="none")
        stay = ["customer", "word", "ok"]
        self.assertTrue(filled.values[stay].equals(table[stay]) and not filled.values.isna().any().any() and filled.values.index.equals(table.index))
        self.assertTrue(((filled.standard_error > 0) == table[["customer", "a", 7, "c"]].isna()).all().all())
        table.to_csv(self.folder / "d.csv", index=False, float_format="%.16e")
        self.command("fill", "-data", self.folder / "d.csv", "-out", self.folder / "o.csv", "-effort", "none")
        self.assertTrue(np.array_equal(filled.values["a"], pd.read_csv(self.folder / "o.csv", float_precision="round_trip")["a"]))
        long = table[["a", 7]].set_axis(pd.MultiIndex.from_product([pd.date_range("2020-01-01", periods=8), ["P", "Q", "R"]]))
        filled = kronfield.fill(long, effort="none", observed=long.notna())
        self.assertTrue(filled.values.index.equals(long.index) and filled.about["examples"] == 8 and not filled.values.isna().any().any())

    def test_emulator(self):
        """An emulator predicts outputs of new inputs, and finds the inputs behind outputs, with the command's numbers."""
        rng = np.random.default_rng(0)
        runs, at = pd.DataFrame({"p": rng.random(30), "q": rng.random(30)}), np.linspace(0, 3, 12)
        outputs = np.sin(3 * runs.p.to_numpy()[:, None] + at) + runs.q.to_numpy()[:, None] * at
        model = kronfield.train(outputs[5:], self.folder / "e.model", inputs=runs[5:], effort="quick")
        self.assertLess(np.abs(kronfield.predict(model, inputs=runs[:5]).values - outputs[:5]).max(), 0.05)
        seen = outputs[:5].copy()
        seen[:, ::2] = np.nan
        found = kronfield.invert(model, seen, errors=0.01, effort="quick")
        self.assertLess(np.abs(found[["p", "q"]].to_numpy() - runs[:5].to_numpy()).max(), 0.05)
        np.save(self.folder / "s.npy", seen)
        self.command("invert", "-model", model.path, "-data", self.folder / "s.npy", "-errors", "0.01", "-effort", "quick", "-out", self.folder / "i.csv")
        self.assertTrue(found.equals(pd.read_csv(self.folder / "i.csv", float_precision="round_trip")))

    def test_model(self):
        """A trained model imputes, predicts and tells latent variables, in the form of its data, with the command's numbers."""
        index = pd.date_range("2020-02-20", periods=24, freq="D")
        array = xr.DataArray(self.truth, dims=("time", "y", "x"), coords={"time": index}, name="wave")
        table = pd.DataFrame(self.truth.reshape(24, 20)[:, :5], index=index, columns=list("abcde"))
        for data, gaps in ((self.truth, self.damaged), (table, table.mask(np.isnan(self.damaged.reshape(24, 20)[:, :5]))), (array, array.copy(data=self.damaged))):
            path = self.folder / "m.model"
            model = kronfield.train(data, path, effort="none")
            self.assertEqual(json.loads(self.command("info", "-model", path, "-json"))["examples"], 24)
            filled = kronfield.impute(model, gaps).values
            self.assertIs(type(filled), type(data))
            self.assertLess(float(np.abs(np.asarray(filled) - np.asarray(data)).max()), 1.5)
            mean = kronfield.predict(model)
            self.assertEqual(np.asarray(mean.values).shape, np.asarray(data).shape)
            self.command("predict", "-model", path, "-out", self.folder / "p.npy")
            self.assertTrue(np.array_equal(np.asarray(mean.values).ravel(), np.load(self.folder / "p.npy").ravel()))
            self.assertEqual(len(kronfield.latents(path)), 24)
            if data is self.truth:
                continue
            later = pd.date_range("2020-03-01 12:00", periods=3, freq="D")
            between = kronfield.predict(model, times=later).values
            self.assertIs(type(between), type(data))
            self.assertTrue(np.array_equal(between.index if data is table else between.time, later))

    def test_errors(self):
        """What the program refuses is an exception with its one line, and progress is told."""
        with self.assertRaisesRegex(kronfield.Error, r"^.*nothing observed: all 6 values are missing"):
            kronfield.fill(np.full((2, 3), np.nan))
        with self.assertRaisesRegex(kronfield.Error, "no such file"):
            kronfield.impute("absent.model", self.truth)
        with self.assertRaises(TypeError):
            kronfield.fill(pd.Series([1.0]))
        with self.assertRaisesRegex(kronfield.Error, "'b' has other dimensions than 'a'"):
            kronfield.fill(xr.Dataset({"a": (("x", "y"), np.ones((2, 2))), "b": ("y", [1.0, np.nan])}))
        days = pd.date_range("2020-01-01", periods=6).repeat(2)
        long = pd.DataFrame({"day": [*days, days[0]], "site": [*"PQPQPQPQPQPQP"], "t": np.arange(13.0)})
        with self.assertRaisesRegex(kronfield.Error, "^data.csv: lines 2 and 14: found two rows of the same example and point"):
            kronfield.fill(long)
        with self.assertRaisesRegex(kronfield.Error, "the same time twice"):
            kronfield.fill(pd.DataFrame({"a": [1.0, 2.0]}, index=pd.to_datetime(["2020-01-01", "2020-01-01"])))
        with self.assertRaisesRegex(kronfield.Error, "without a column of numbers"):
            kronfield.fill(pd.DataFrame({"a": ["x", "y"]}))
        lines = []
        kronfield.fill(self.damaged[:6], effort="none", progress=lines.append)
        self.assertTrue(all(isinstance(line, str) for line in lines))


if __name__ == "__main__":
    unittest.main()
