"""Learn from examples with gaps and fill them in: pictures, maps, tables.

The functions run the program ``sgplvm``, which a wheel carries, on temporary files::

    import kronfield

    filled = kronfield.fill(table)          # numpy array, pandas DataFrame or xarray DataArray
    filled.values                           # as the data, with the gaps filled in
    filled.standard_error                   # as the data, 0 where a value was observed

    model = kronfield.train(frames, "faces.model")
    kronfield.impute(model, damaged).values
    kronfield.predict(model, times=days).values
    kronfield.latents(model)

    emulator = kronfield.train(fields, "flow.emulator", inputs=runs)
    kronfield.predict(emulator, inputs=others).values
    kronfield.invert(emulator, measured, errors=0.01)

Data are one of

- a numpy array: n×d is a table, n×height×width are pictures, n×height×width×channels coloured
  ones; NaN is missing, and so is what a masked array masks;
- a pandas DataFrame: what the program makes of a table of text with these columns, and the index
  before them. Dates are the time, words and numbers that are names are carried through, and
  of a long one, in which dates come more than once, each date is an example;
- an xarray DataArray with a first dimension of examples, such as time, and one or two of space.
  What xarray opens (NetCDF-4, Zarr, GRIB) can be filled in; coordinates and attributes stay;
- an xarray Dataset: its variables of floats that have the same dimensions, learned together as the
  channels of a point, each in a unit of its own. Other variables are carried through.

Dates are days since 1970-01-01 to a model; functions take and return dates where the data have them.
What the program refuses raises :class:`Error` with its one line.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Union

import numpy as np

__version__ = "0.1.0"
__all__ = ["Error", "Filled", "Model", "fill", "impute", "invert", "latents", "predict", "program", "train"]

Progress = Union[bool, Callable[[str], None]]


class Error(Exception):
    """What the program refuses, in one line that says what helps."""


class Filled(NamedTuple):
    """Values that were filled in or predicted, their standard errors, and what the program tells of them."""

    values: Any
    """As the data: an array, a DataFrame or a DataArray."""
    standard_error: Any
    """As the values; 0 where a value was observed."""
    about: Dict[str, Any]
    """What ``sgplvm -json`` prints: how much was missing, what filled it in, with what error."""


class Model:
    """A model in a file. It remembers the form of the data that it was trained on in this session."""

    def __init__(self, path: Union[str, os.PathLike], about: Optional[Dict[str, Any]] = None, form: Any = None) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise Error(f"{self.path}: no such file")
        self.about = about or {}
        self._form = form

    def __repr__(self) -> str:
        return f"kronfield.Model({str(self.path)!r})"


def program() -> str:
    """Return the path of the program: the one that came with this package, else the first in PATH."""
    name = "sgplvm.exe" if os.name == "nt" else "sgplvm"
    own = Path(__file__).with_name(name)
    found = str(own) if own.is_file() else shutil.which(name)
    if not found:
        raise Error("no program sgplvm beside this package or in PATH")
    return found


def main() -> None:
    """Run the program with the arguments of the command line: the command ``sgplvm``."""
    try:
        sys.exit(subprocess.call([program(), *sys.argv[1:]]))
    except KeyboardInterrupt:
        sys.exit(130)
    except Error as e:
        sys.exit(f"sgplvm: {e}")


def fill(
    data: Any,
    *,
    observed: Any = None,
    times: Any = None,
    points: Any = None,
    errors: Any = None,
    effort: str = "normal",
    limit: Optional[str] = None,
    film: bool = False,
    keep_outliers: bool = False,
    smooth: bool = False,
    save: Union[str, os.PathLike, None] = None,
    model: Union[Model, str, os.PathLike, None] = None,
    progress: Progress = False,
) -> Filled:
    """Learn from examples of which values are missing, and fill them in.

    observed: an array of the data's shape, true where a value was observed; by default all but NaN.
    times: numbers or dates, one for each example, where the data have none.
    points: coordinates, points×dimensions, of an array n×points of values at scattered points.
    errors: known standard errors of the values, in the form of the data.
    effort: quick, normal, thorough or none. limit: the time for all of the work, such as "10m".
    film: the examples are the frames of a film. keep_outliers: values far outside count, too.
    smooth: what was observed is replaced by what the model makes of it.
    save: a file for the model. model: one that fills in, instead of one that is learned.
    progress: true prints what the program says; a function is called with each line.
    """
    with _Folder() as folder:
        form = _form(data)
        args = form.write(folder, "data", data)
        args += form.extras(folder, observed=observed, times=times, points=points, errors=errors)
        args += _flags(effort=None if model else effort, limit=limit, film=film, keep_outliers=keep_outliers, smooth=smooth)
        args += _flags(save=save and os.path.abspath(save), model=model and os.path.abspath(_path(model)))
        about = _run(["fill", *args, "-out", str(folder / form.out), "-variance", str(folder / form.variance), "-json"], progress)
        return form.read(folder, data, about)


def train(
    data: Any,
    path: Union[str, os.PathLike],
    *,
    observed: Any = None,
    times: Any = None,
    points: Any = None,
    effort: str = "normal",
    limit: Optional[str] = None,
    film: bool = False,
    inputs: Any = None,
    config: Optional[Dict[str, Any]] = None,
    progress: Progress = False,
) -> Model:
    """Learn a model of examples, of which values may be missing, and write it to a file.

    Arguments are those of :func:`fill`; config has the fields of a configuration file.
    inputs: those of the runs of a simulator, of which the data are the outputs: a DataFrame, or an array
    runs×inputs or of fields. The model is then an emulator.
    """
    with _Folder() as folder:
        form = _form(data)
        args = form.write(folder, "data", data)
        args += form.extras(folder, observed=observed, times=times, points=points, own_times=None if inputs is None else False)
        args += _inputs(folder, inputs) + _flags(effort=None if config else effort, limit=limit, film=film)
        if config:
            (folder / "config.json").write_text(json.dumps(config))
            args += ["-config", str(folder / "config.json")]
        about = _run(["train", *args, "-out", os.path.abspath(path), "-json"], progress)
    return Model(path, about, form)


def impute(
    model: Union[Model, str, os.PathLike],
    data: Any,
    *,
    observed: Any = None,
    times: Any = None,
    points: Any = None,
    keep_outliers: bool = False,
    progress: Progress = False,
) -> Filled:
    """Fill in new examples by a model; arguments are those of :func:`fill`."""
    with _Folder() as folder:
        form = _form(data)
        args = ["-model", os.path.abspath(_path(model)), *form.write(folder, "data", data)]
        own = form.times is not None and form.times.dtype.kind == "M" and times is None and _timed(model, progress)
        args += form.extras(folder, observed=observed, times=times, points=points, own_times=own)
        args += _flags(keep_outliers=keep_outliers)
        out = ["-out", str(folder / form.imputed), "-variance", str(folder / form.variance), "-json"]
        return _Numpy.read(form, folder, data, _run(["impute", *args, *out], progress))


def predict(
    model: Union[Model, str, os.PathLike],
    *,
    times: Any = None,
    data: Any = None,
    inputs: Any = None,
    points: Any = None,
    grid: Optional[Sequence[int]] = None,
    progress: Progress = False,
) -> Filled:
    """Predict examples: those of training, or at times, or those of which something is seen in data.

    inputs: those that an emulator predicts outputs of, in the form of those in training.
    points: coordinates to predict at. grid: (width, height) of pictures in another resolution.
    A model that was trained in this session on a DataFrame or a DataArray gives the same; others numpy arrays.
    """
    with _Folder() as folder:
        args = ["-model", os.path.abspath(_path(model))]
        if data is not None:
            form = _form(data)
            args += form.write(folder, "data", data)
        args += _times(folder, times) + _inputs(folder, inputs) + _array(folder, "points", points)
        if grid is not None:
            args += ["-grid", f"{int(grid[0])}x{int(grid[1])}"]
        _run(["predict", *args, "-out", str(folder / "out.npy"), "-variance", str(folder / "variance.npy")], progress)
        mean, error = np.load(folder / "out.npy"), np.sqrt(np.load(folder / "variance.npy"))
    known = getattr(model, "_form", None)
    if known is None or points is not None or grid is not None:
        return Filled(mean, error, {})
    if isinstance(known, _Pandas):
        columns = _run(["info", "-model", os.path.abspath(_path(model)), "-json"], progress).get("attributes", {}).get("columns")
        known.names = columns and json.loads(columns)
    index = times if times is not None else (None if data is not None or inputs is not None else known.times)
    return Filled(known.like(mean, index), known.like(error, index), {})


def invert(
    model: Union[Model, str, os.PathLike],
    data: Any,
    *,
    errors: Any = 0.0,
    observed: Any = None,
    prior: str = "runs",
    effort: str = "normal",
    seed: int = 0,
    progress: Progress = False,
) -> Any:
    """Find the inputs behind outputs, by an emulator (:func:`train` with inputs).

    data: outputs in the form of those in training, NaN where nothing was seen. errors: the standard
    error of what was seen, a number or in the form of the data. prior: runs, normal or uniform.
    The result is a DataFrame with a row for each output: the mean of each input, its deviation, the ends of
    its 90 % interval; where pandas is not installed an array with names. Inputs that are fields alone are :class:`Filled`.
    """
    with _Folder() as folder:
        path = os.path.abspath(_path(model))
        form = _form(data)
        args = ["-model", path, *form.write(folder, "data", data), *form.extras(folder, observed=observed, own_times=False)]
        args += ["-errors", str(errors)] if np.isscalar(errors) else form.extras(folder, errors=errors, own_times=False)
        args += _flags(prior=prior, effort=effort, seed=seed)
        if _run(["info", "-model", path, "-json"], progress).get("inputs"):
            _run(["invert", *args, "-out", str(folder / "out.csv")], progress)
            return _table(folder / "out.csv")
        about = _run(["invert", *args, "-out", str(folder / "out.npy"), "-variance", str(folder / "variance.npy"), "-json"], progress)
        return Filled(np.load(folder / "out.npy"), np.sqrt(np.load(folder / "variance.npy")), {"outputs": about})


def latents(
    model: Union[Model, str, os.PathLike],
    *,
    data: Any = None,
    times: Any = None,
    progress: Progress = False,
) -> Any:
    """Return the latent variables, their means and standard deviations, an example in a row.

    They are those of the training examples, or of examples at times, or of which something is seen in data.
    The result is a DataFrame where pandas is installed, else an array with names.
    """
    with _Folder() as folder:
        args = ["-model", os.path.abspath(_path(model))]
        if data is not None:
            args += _form(data).write(folder, "data", data)
        args += _times(folder, times)
        _run(["latents", *args, "-out", str(folder / "out.csv")], progress)
        return _table(folder / "out.csv")


# Forms of data: how they are written for the program, and how its results become the same.


class _Numpy:
    """Arrays as they are."""

    out = imputed = "out.npy"
    variance = "variance.npy"
    times: Any = None

    def __init__(self, data: Any) -> None:
        del data

    def array(self, data: Any) -> np.ndarray:
        if isinstance(data, np.ma.MaskedArray):
            data = data.astype(float).filled(np.nan)
        data = np.asarray(data)
        if data.dtype.kind not in "biuf":
            raise TypeError(f"an array of {data.dtype}, expected numbers: data.astype(float), or pandas.DataFrame(data) of a table with words")
        return data

    def write(self, folder: Path, flag: str, data: Any) -> List[str]:
        return _array(folder, flag, self.array(data))

    def extras(self, folder: Path, times: Any = None, own_times: Optional[bool] = None, **arrays: Any) -> List[str]:
        """Write what stands beside the data; own_times: whether their times do, where the data have none in the file."""
        if times is None and own_times is not False:
            times = self.times
        args = _times(folder, times)
        for flag, values in arrays.items():
            if values is not None:
                values = np.asarray(values if flag == "points" else self.array(values), dtype=np.uint8 if flag == "observed" else float)
            args += _array(folder, flag, values)
        return args

    def read(self, folder: Path, data: Any, about: Dict[str, Any]) -> Filled:
        return self.take(data, self.load(folder / self.imputed), np.sqrt(self.load(folder / self.variance)), about)

    def load(self, path: Path) -> np.ndarray:
        return np.load(path)

    def take(self, data: Any, values: np.ndarray, errors: np.ndarray, about: Dict[str, Any]) -> Filled:
        return Filled(values, errors, about)

    def like(self, values: np.ndarray, index: Any) -> Any:
        return values


class _Pandas(_Numpy):
    """DataFrames, by way of a table of text: what its columns are is what the program finds."""

    out = imputed = "out.csv"
    variance = "variance.csv"
    names: Any = None

    def __init__(self, data: Any) -> None:
        import pandas

        self.pandas, self.data, kinds = pandas, data, pandas.api.types
        self.numbers = [k for k, d in enumerate(data.dtypes) if kinds.is_numeric_dtype(d) and not kinds.is_bool_dtype(d)]
        if not self.numbers:
            raise Error("a DataFrame without a column of numbers")
        index = data.index.to_timestamp() if isinstance(data.index, pandas.PeriodIndex) else data.index
        counts = index.nlevels == 1 and index.name is None and kinds.is_integer_dtype(index.dtype)
        self.index = [] if counts else [index.to_frame(index=False)]
        dates = next((v for v in [index, *(v for _, v in data.items())] if v.dtype.kind == "M" and v.notna().all()), None)
        if dates is not None:
            self.times = pandas.DatetimeIndex(dates.unique()).sort_values() if not dates.is_unique else pandas.DatetimeIndex(dates)

    def write(self, folder: Path, flag: str, data: Any) -> List[str]:
        """Write a table of which the last column counts the rows: those that a result has besides count nothing."""
        rows = self.pandas.Series(range(len(data)), name="row")
        table = self.pandas.concat([*self.index, data.reset_index(drop=True), rows], axis=1)
        table.columns = [c if isinstance(c, str) else f"column {c}" for c in table.columns]
        table.to_csv(folder / f"{flag}.csv", index=False, float_format="%.16e")
        return [f"-{flag}", str(folder / f"{flag}.csv")]

    def replaced(self, values: Any, keep: Any = None) -> Any:
        """Return the data with values in place of their numbers, where an array is not true."""
        values, table = np.asarray(values), self.data.copy()
        for q, k in enumerate(self.numbers):
            column = values[:, k if values.shape[1] == table.shape[1] else q]
            table.isetitem(k, self.data.iloc[:, k].where(column.astype(bool)) if keep else column)
        return table

    def extras(self, folder: Path, times: Any = None, own_times: Optional[bool] = None, observed: Any = None, errors: Any = None, points: Any = None) -> List[str]:
        if observed is not None:
            self.write(folder, "data", self.replaced(observed, keep=True))
        return _times(folder, times) + _array(folder, "points", points) + ([] if errors is None else self.write(folder, "errors", self.replaced(errors)))

    def load(self, path: Path) -> np.ndarray:
        """Read the numbers of a result, without rows that it has besides."""
        table = self.pandas.read_csv(path, float_precision="round_trip")
        table = table[table.iloc[:, -1].notna()]
        first = table.shape[1] - 1 - self.data.shape[1]
        return np.stack([self.pandas.to_numeric(table.iloc[:, first + k], errors="coerce") for k in self.numbers], -1).astype(float)

    def take(self, data: Any, values: np.ndarray, errors: np.ndarray, about: Dict[str, Any]) -> Filled:
        filled, error = data.copy(), data.iloc[:, self.numbers].copy()
        for q, k in enumerate(self.numbers):
            was = data.iloc[:, k].to_numpy(dtype=float, na_value=np.nan)
            changed = (values[:, q] != was) & ~np.isnan(values[:, q])
            error.isetitem(q, np.where(changed, errors[:, q], 0))
            if changed.any():
                filled.isetitem(k, np.where(changed, values[:, q], was))
        return Filled(filled, error, about)

    def like(self, values: np.ndarray, index: Any) -> Any:
        if index is not None and len(index) != len(values):
            index = None
        return self.pandas.DataFrame(values.reshape(len(values), -1), index=index, columns=self.names)


class _Xarray(_Numpy):
    """DataArrays, by way of a classic NetCDF file, which has their coordinates and dates."""

    out = "out.nc"

    def __init__(self, data: Any) -> None:
        self.dims, self.template = data.dims, data.isel({data.dims[0]: slice(0, 0)}).copy(deep=False)
        first = data.coords.get(data.dims[0])
        if first is not None and first.dtype.kind == "M" or getattr(first, "dtype", None) == object:
            self.times = first.values

    def array(self, data: Any) -> np.ndarray:
        return np.asarray(data.values, dtype=float)

    def write(self, folder: Path, flag: str, data: Any) -> List[str]:
        plain = data.astype("float32" if data.dtype == np.float32 else "float64").rename("values")
        plain = plain.drop_vars([c for c in plain.coords if c not in plain.dims or plain[c].dtype.kind in "USO" and c != self.dims[0]])
        plain.attrs, plain.encoding = {}, {}
        encoding: Dict[str, Any] = {"values": {"_FillValue": np.nan}}
        for c in plain.coords:
            plain[c].encoding = {}
            if plain[c].dtype.kind == "M" or plain[c].dtype == object:
                encoding[c] = {"units": "days since 1970-01-01", "dtype": "float64"}
        path = folder / f"{flag}.nc"
        plain.to_netcdf(path, format="NETCDF3_64BIT", engine=_engine(), encoding=encoding)
        return [f"-{flag}", f"{path}:values"]

    def extras(self, folder: Path, times: Any = None, own_times: Optional[bool] = None, **arrays: Any) -> List[str]:
        return super().extras(folder, times=times, own_times=own_times is True, **arrays)

    def read(self, folder: Path, data: Any, about: Dict[str, Any]) -> Filled:
        import xarray

        with xarray.open_dataset(folder / self.out, engine=_engine(), decode_cf=False) as out:
            values, errors = (out[f"values_{w}"].transpose(*self.dims).values for w in ("filled", "standard_error"))
            fill_values = [out[f"values_{w}"].attrs.get("_FillValue") for w in ("filled", "standard_error")]
        values, errors = (np.where(v == f, np.nan, v) if f is not None else v for v, f in zip((values, errors), fill_values))
        return self.take(data, values, errors, about)

    def take(self, data: Any, values: np.ndarray, errors: np.ndarray, about: Dict[str, Any]) -> Filled:
        keep = data.dtype if data.dtype.kind == "f" else np.dtype(float)
        values, errors = (v.reshape(data.shape).astype(keep) for v in (values, errors))
        name = None if data.name is None else f"{data.name}_standard_error"
        return Filled(data.copy(data=values), data.copy(data=errors).rename(name), about)

    def like(self, values: np.ndarray, index: Any) -> Any:
        shape = (len(values), *self.template.shape[1:])
        coords = {k: v for k, v in self.template.coords.items() if self.dims[0] not in v.dims}
        if index is not None:
            coords[self.dims[0]] = np.asarray(index)
        return type(self.template)(values.reshape(shape), dims=self.dims, coords=coords, name=self.template.name, attrs=self.template.attrs)


class _Dataset(_Numpy):
    """Datasets: the variables of floats that have the same dimensions are the channels of one array."""

    def __init__(self, data: Any) -> None:
        dims = [v.dims for v in data.data_vars.values() if v.dtype.kind == "f" and v.dims]
        if not dims:
            raise Error("a Dataset without a variable of floats")
        self.dims = max(dims, key=dims.count)
        self.names = [n for n, v in data.data_vars.items() if v.dtype.kind == "f" and v.dims == self.dims]
        for name, v in data.data_vars.items():
            if name not in self.names and v.dtype.kind == "f" and v.isnull().any():
                raise Error(f"{name!r} has other dimensions than {', '.join(map(repr, self.names))}: dataset[[names]] takes variables out that are filled in together")
        self.shape = data[self.names[0]].shape
        self.one = _Xarray(data[self.names[0]])
        self.times = self.one.times

    def array(self, data: Any) -> np.ndarray:
        values = np.stack([np.asarray(data[n].transpose(*self.dims).values, dtype=float) for n in self.names], -1)
        return values if values.ndim > 3 else values.reshape(len(values), -1)

    def take(self, data: Any, values: np.ndarray, errors: np.ndarray, about: Dict[str, Any]) -> Filled:
        def put(all_values: np.ndarray) -> Any:
            parts = all_values.reshape(*self.shape, len(self.names))
            return data.assign({n: (self.dims, parts[..., k].astype(data[n].dtype), data[n].attrs) for k, n in enumerate(self.names)})

        return Filled(put(values), put(errors)[self.names], about)

    def like(self, values: np.ndarray, index: Any) -> Any:
        import xarray

        parts = values.reshape(len(values), *self.shape[1:], len(self.names))
        return xarray.Dataset({n: self.one.like(parts[..., k], index).rename(n) for k, n in enumerate(self.names)})


def _form(data: Any) -> Any:
    """Return how data are written and read."""
    kind = type(data).__module__.split(".")[0]
    if kind == "pandas" and hasattr(data, "columns"):
        return _Pandas(data)
    if kind == "xarray" and hasattr(data, "data_vars"):
        return _Dataset(data)
    if kind == "xarray" and hasattr(data, "dims"):
        return _Xarray(data)
    if kind in ("pandas", "xarray"):
        raise TypeError(f"{type(data).__name__}, expected a DataFrame (of a Series by to_frame()), a DataArray, a Dataset or an array")
    return _Numpy(data)


def _table(path: Path) -> Any:
    """Read a table that the program has written."""
    try:
        import pandas
    except ImportError:
        return np.genfromtxt(path, delimiter=",", names=True)
    return pandas.read_csv(path, float_precision="round_trip")


def _inputs(folder: Path, inputs: Any) -> List[str]:
    """Write the inputs of an emulator, a table of which has the names of its columns."""
    if hasattr(inputs, "to_csv"):
        inputs.to_csv(folder / "inputs.csv", index=False)
        return ["-inputs", str(folder / "inputs.csv")]
    return _array(folder, "inputs", inputs)


def _engine() -> str:
    """Return what writes classic NetCDF files for xarray."""
    try:
        import scipy.io  # noqa: F401

        return "scipy"
    except ImportError:
        return "netcdf4"


def _array(folder: Path, flag: str, values: Any) -> List[str]:
    """Write an array and return the flag that names it."""
    if values is None:
        return []
    values = np.asarray(values)
    if values.dtype == bool:
        values = values.astype(np.uint8)
    np.save(folder / f"{flag}.npy", np.ascontiguousarray(values), allow_pickle=False)
    return [f"-{flag}", str(folder / f"{flag}.npy")]


def _times(folder: Path, times: Any) -> List[str]:
    """Write times, dates as days since 1970-01-01."""
    if times is None:
        return []
    times = np.asarray(times)
    if times.dtype == object or times.dtype.kind in "US":
        times = times.astype("datetime64[us]")
    if times.dtype.kind == "M":
        times = times.astype("datetime64[us]").astype(np.int64) / 86400e6
    return _array(folder, "times", times.astype(float))


def _flags(**values: Any) -> List[str]:
    """Return flags: true ones alone, others with their values, none for None and False."""
    args: List[str] = []
    for name, value in values.items():
        flag = "-" + name.replace("_", "-")
        if value is True:
            args.append(flag)
        elif value:
            args += [flag, str(value)]
    return args


def _path(model: Union[Model, str, os.PathLike]) -> str:
    return str(model.path if isinstance(model, Model) else model)


def _timed(model: Union[Model, str, os.PathLike], progress: Progress) -> bool:
    """Tell whether a model knows times."""
    about = _run(["info", "-model", os.path.abspath(_path(model)), "-json"], progress)
    return "time" in about.get("latentPrior", "")


class _Folder:
    """A temporary folder."""

    def __enter__(self) -> Path:
        self.folder = tempfile.TemporaryDirectory(prefix="kronfield-")
        return Path(self.folder.name)

    def __exit__(self, *_: Any) -> None:
        self.folder.cleanup()


def _run(args: List[str], progress: Progress) -> Dict[str, Any]:
    """Run the program and return what it prints as JSON; lines on its standard error go to progress, and warnings are warned of."""
    lines: List[str] = []

    def listen(stream: Any) -> None:
        for line in stream:
            line = line.rstrip("\n")
            lines.append(line)
            if callable(progress):
                progress(line)
            elif progress:
                print(line, file=sys.stderr, flush=True)

    with subprocess.Popen([program(), *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8") as p:
        listener = threading.Thread(target=listen, args=(p.stderr,))
        listener.start()
        try:
            out = p.stdout.read() if p.stdout else ""
        except KeyboardInterrupt:
            p.terminate()
            raise
        finally:
            listener.join()
    if p.returncode != 0:
        line = next((s for s in reversed(lines) if s.startswith("sgplvm: ")), f"sgplvm {args[0]} ended with code {p.returncode}")
        line = line[len("sgplvm: ") :] if line.startswith("sgplvm: ") else line
        raise Error(re.sub(r"[^ ]*kronfield-[^/\\ ]*[/\\]", "", line))
    for line in lines:
        if line.startswith("sgplvm: warning: "):
            warnings.warn(line[len("sgplvm: warning: ") :], stacklevel=3)
    return json.loads(out) if "-json" in args else {}
