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

Data are one of

- a numpy array: n×d is a table, n×height×width are pictures, n×height×width×channels coloured
  ones; NaN is missing, and so is what a masked array masks;
- a pandas DataFrame: an example in a row. Columns that are no numbers are carried through, and an
  index of dates is the time;
- an xarray DataArray with a first dimension of examples, such as time, and one or two of space.
  What xarray opens (NetCDF-4, Zarr, GRIB) can be filled in; coordinates and attributes stay.

Dates are days since 1970-01-01 to a model; functions take and return dates where the data have them.
What the program refuses raises :class:`Error` with its one line.
"""

from __future__ import annotations

import json
import os
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
__all__ = ["Error", "Filled", "Model", "fill", "impute", "latents", "predict", "program", "train"]

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
        about = _run(["fill", *args, "-out", str(folder / form.out), "-variance", str(folder / "variance.npy"), "-json"], progress)
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
    config: Optional[Dict[str, Any]] = None,
    progress: Progress = False,
) -> Model:
    """Learn a model of examples, of which values may be missing, and write it to a file.

    Arguments are those of :func:`fill`; config has the fields of a configuration file.
    """
    with _Folder() as folder:
        form = _form(data)
        args = form.write(folder, "data", data)
        args += form.extras(folder, observed=observed, times=times, points=points)
        args += _flags(effort=None if config else effort, limit=limit, film=film)
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
        timed = times if times is not None else (form.times if _timed(model, progress) else None)
        args += form.extras(folder, observed=observed, times=timed, points=points, own_times=False)
        args += _flags(keep_outliers=keep_outliers)
        out = ["-out", str(folder / "out.npy"), "-variance", str(folder / "variance.npy"), "-json"]
        about = _run(["impute", *args, *out], progress)
        return form.take(data, np.load(folder / "out.npy"), np.sqrt(np.load(folder / "variance.npy")), about)


def predict(
    model: Union[Model, str, os.PathLike],
    *,
    times: Any = None,
    data: Any = None,
    points: Any = None,
    grid: Optional[Sequence[int]] = None,
    progress: Progress = False,
) -> Filled:
    """Predict examples: those of training, or at times, or those of which something is seen in data.

    points: coordinates to predict at. grid: (width, height) of pictures in another resolution.
    A model that was trained in this session on a DataFrame or a DataArray gives the same; others numpy arrays.
    """
    with _Folder() as folder:
        args = ["-model", os.path.abspath(_path(model))]
        if data is not None:
            form = _form(data)
            args += form.write(folder, "data", data)
        args += _times(folder, times) + _array(folder, "points", points)
        if grid is not None:
            args += ["-grid", f"{int(grid[0])}x{int(grid[1])}"]
        _run(["predict", *args, "-out", str(folder / "out.npy"), "-variance", str(folder / "variance.npy")], progress)
        mean, error = np.load(folder / "out.npy"), np.sqrt(np.load(folder / "variance.npy"))
    known = getattr(model, "_form", None)
    if known is None or points is not None or grid is not None:
        return Filled(mean, error, {})
    index = times if times is not None else (None if data is not None else known.times)
    return Filled(known.like(mean, index), known.like(error, index), {})


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
        try:
            import pandas
        except ImportError:
            return np.genfromtxt(folder / "out.csv", delimiter=",", names=True)
        return pandas.read_csv(folder / "out.csv")


# Forms of data: how they are written for the program, and how its results become the same.


class _Numpy:
    """Arrays as they are."""

    out = "out.npy"
    times: Any = None

    def __init__(self, data: Any) -> None:
        del data

    def array(self, data: Any) -> np.ndarray:
        if isinstance(data, np.ma.MaskedArray):
            data = data.astype(float).filled(np.nan)
        return np.asarray(data)

    def write(self, folder: Path, flag: str, data: Any) -> List[str]:
        return _array(folder, flag, self.array(data))

    def extras(self, folder: Path, times: Any = None, own_times: bool = True, **arrays: Any) -> List[str]:
        if times is None and own_times:
            times = self.times
        args = _times(folder, times)
        for flag, values in arrays.items():
            if values is not None:
                values = np.asarray(values, dtype=np.uint8) if flag == "observed" else np.asarray(values, dtype=float)
            args += _array(folder, flag, values)
        return args

    def read(self, folder: Path, data: Any, about: Dict[str, Any]) -> Filled:
        return self.take(data, np.load(folder / self.out), np.sqrt(np.load(folder / "variance.npy")), about)

    def take(self, data: Any, values: np.ndarray, errors: np.ndarray, about: Dict[str, Any]) -> Filled:
        return Filled(values, errors, about)

    def like(self, values: np.ndarray, index: Any) -> Any:
        return values


class _Pandas(_Numpy):
    """DataFrames: their columns of numbers, and an index of dates as the time."""

    def __init__(self, data: Any) -> None:
        import pandas

        self.columns = [c for c in data.columns if pandas.api.types.is_numeric_dtype(data[c]) and data[c].notna().any()]
        if not self.columns:
            raise Error("a DataFrame without a column of numbers")
        self.pandas = pandas
        if isinstance(data.index, (pandas.DatetimeIndex, pandas.PeriodIndex)):
            self.times = data.index.to_timestamp() if isinstance(data.index, pandas.PeriodIndex) else data.index
        if self.times is not None and self.times.has_duplicates:
            raise Error("a DataFrame with a date twice in its index: a long one becomes a wide one by data.pivot(columns=..., values=...)")

    def array(self, data: Any) -> np.ndarray:
        return data[self.columns].to_numpy(dtype=float, na_value=np.nan)

    def take(self, data: Any, values: np.ndarray, errors: np.ndarray, about: Dict[str, Any]) -> Filled:
        filled = data.copy()
        for k, c in enumerate(self.columns):
            if data[c].isna().any() or not np.array_equal(values[:, k], data[c].to_numpy(dtype=float)):
                filled[c] = values[:, k]
        return Filled(filled, self.pandas.DataFrame(errors, index=data.index, columns=self.columns), about)

    def like(self, values: np.ndarray, index: Any) -> Any:
        return self.pandas.DataFrame(values.reshape(len(values), -1), index=index, columns=self.columns)


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

    def extras(self, folder: Path, times: Any = None, own_times: bool = True, **arrays: Any) -> List[str]:
        return super().extras(folder, times=times, own_times=False, **arrays)

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


def _form(data: Any) -> Any:
    """Return how data are written and read."""
    kind = type(data).__module__.split(".")[0]
    if kind == "pandas" and hasattr(data, "columns"):
        return _Pandas(data)
    if kind == "xarray" and hasattr(data, "dims") and not hasattr(data, "data_vars"):
        return _Xarray(data)
    if kind in ("pandas", "xarray"):
        raise TypeError(f"{type(data).__name__}, expected a DataFrame, a DataArray (dataset['name']) or an array")
    return _Numpy(data)


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
        raise Error(line[len("sgplvm: ") :] if line.startswith("sgplvm: ") else line)
    for line in lines:
        if line.startswith("sgplvm: warning: "):
            warnings.warn(line[len("sgplvm: warning: ") :], stacklevel=3)
    return json.loads(out) if "-json" in args else {}
