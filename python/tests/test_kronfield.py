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
            kronfield.fill(xr.Dataset({"a": ("x", [1.0])}))
        with self.assertRaisesRegex(kronfield.Error, "a date twice"):
            kronfield.fill(pd.DataFrame({"a": [1.0, 2.0]}, index=pd.to_datetime(["2020-01-01", "2020-01-01"])))
        lines = []
        kronfield.fill(self.damaged[:6], effort="none", progress=lines.append)
        self.assertTrue(all(isinstance(line, str) for line in lines))


if __name__ == "__main__":
    unittest.main()
