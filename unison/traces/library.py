"""Opening a corpus by name or by file."""

from __future__ import annotations

from pathlib import Path

from unison.errors import UnisonError, unknown_name
from unison.traces.corpus import Corpus
from unison.traces.importers import import_traces
from unison.traces.importers.names import corpus_name
from unison.traces.schema import is_corpus, read_corpus
from unison.traces.synthetic import CORPORA, synthesize


def load_corpus(name_or_path: str | Path) -> Corpus:
    """The synthetic corpus of that name, or the corpus in that file.

    Parameters
    ----------
    name_or_path : str or pathlib.Path
        One of the six names, a Parquet file that `unison import` made, or a Parquet or CSV file in the common
        table format, which is then imported whole under a name made from the file's.

    Returns
    -------
    Corpus

    Raises
    ------
    UnisonError
        If it is none of these, or if a session of a common table would have to be skipped.
    """
    given = str(name_or_path)
    if given in CORPORA:
        return synthesize(given)
    path = Path(name_or_path)
    try:
        is_file, is_folder = path.is_file(), given != "" and path.is_dir()
    except OSError as error:
        raise UnisonError(f"{given[:100]!r}: {error.strerror}; give the path of a corpus file") from None
    if is_file:
        return read_corpus(path) if is_corpus(path) else _from_table(path)
    if is_folder:
        raise UnisonError(f"{path}: a folder; give one corpus file in it, or make one: unison import")
    if path.suffix in (".parquet", ".csv") or len(path.parts) > 1:
        raise UnisonError(
            f"{path}: no such file; give one that `unison import` made, or a name: {', '.join(CORPORA)}"
        )
    raise UnisonError(
        f"{unknown_name('corpus', given, CORPORA)}; or give the path of a corpus file (FILE.parquet)"
    )


def _from_table(path: Path) -> Corpus:
    imported = import_traces("table", path, name=corpus_name(path.stem))
    if imported.corpus is None or imported.log.problems:
        first = f"; the first problem: {imported.log.problems[0]}" if imported.log.problems else ""
        raise UnisonError(
            f"{path}: neither made by `unison import` nor a clean common table{first}; import it with "
            f"`unison import FORMAT {path} -o FILE.parquet`, which lists what it skips"
        )
    return imported.corpus
