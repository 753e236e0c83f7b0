"""Gold results of a benchmark, kept on disk so that a gold query runs once."""

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from schemas.errors import UserError
from schemas.tools import Rows
from storage.engines.limits import Limits
from storage.files import whole
from storage.layout import nearby, slug
from storage.places import is_remote, mended
from storage.rows import from_lines, to_lines


@dataclass(frozen=True, slots=True)
class Gold:
    """How a gold query ended, its rows as a count, and its limits.

    ``status``: ``ok``, ``gold_timeout``, ``gold_error``, or ``gold_unsupported`` (by this engine).
    """

    status: str
    reason: str = ""
    rows: int = 0
    seconds: float = 0.0
    limit_seconds: float = 0.0
    limit_rows: int = 0
    limit_size: int = 0

    def holds(self, limits: Limits) -> bool:
        """Whether running the query again under these limits would end alike."""
        if self.status == "ok":
            return self.seconds <= limits.seconds and self.rows <= limits.rows and self.limit_size <= limits.size
        same = (self.limit_seconds, self.limit_rows, self.limit_size) == (limits.seconds, limits.rows, limits.size)
        return same or self.reason.startswith(("query_error", "unsupported"))


def gold_file(benchmark: Path, database: str, fingerprint: str, query: str) -> Path:
    """Where the result of a gold query lies on this machine; another file, engine or query has another place."""
    key = hashlib.sha256("\0".join((fingerprint, query)).encode(errors="surrogatepass")).hexdigest()
    return nearby(benchmark) / "gold" / slug(database) / f"{key[:32]}.jsonl"


def fetch_gold(benchmark: Path, file: Path) -> None:
    """Have a gold result at hand that another machine has put beside a benchmark in an object store."""
    if is_remote(benchmark) and not file.exists():
        shared = _shared(benchmark, file)
        with mended(shared, "read"), suppress(FileNotFoundError):
            found = shared.read_bytes()
            with whole(file) as temporary:
                temporary.write_bytes(found)


def share_gold(benchmark: Path, file: Path) -> None:
    """Put a gold result of this machine beside a benchmark in an object store, where other machines find it."""
    if is_remote(benchmark) and file.exists():
        with whole(_shared(benchmark, file)) as temporary:
            temporary.write_bytes(file.read_bytes())


def _shared(benchmark: Path, file: Path) -> Path:
    return benchmark.joinpath(*file.relative_to(nearby(benchmark)).parts)


def read_gold(path: Path) -> Gold | None:
    """How the query ended; None where it has not run or the file is not one of ours."""
    try:
        with path.open(encoding="utf-8") as file:
            return Gold(**json.loads(file.readline()))
    except (OSError, ValueError, TypeError):
        return None


def read_rows(path: Path) -> Rows:
    """The rows of a gold query that ended well."""
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            gold = Gold(**json.loads(file.readline()))
            columns = tuple(json.loads(file.readline()))
            rows = from_lines(file)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path}: cannot be read ({error}); delete it and run again") from error
    if len(rows) != gold.rows:
        raise UserError(f"{path}: {len(rows)} of {gold.rows} rows; delete it and run again")
    return Rows(columns, rows)


def write_gold(path: Path, gold: Gold, rows: Rows | None = None) -> Gold:
    """Write how a gold query ended, and its rows where it ended well."""
    with whole(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.write(json.dumps(asdict(gold)) + "\n")
        if rows is not None:
            file.write(json.dumps(rows.columns) + "\n")
            file.writelines(f"{line}\n" for line in to_lines(rows.rows))
    return gold
