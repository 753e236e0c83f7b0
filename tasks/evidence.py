"""Evidence: what can be learned of a database's contents, from the database, or from what was published of them."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from threading import Lock

from schemas.catalog import Catalog, Element
from schemas.errors import Failure
from schemas.evidence import Profile
from schemas.tools import Evidence, Rows
from storage.engines.limits import Limits
from storage.isolation import IsolatedDatabase
from storage.profiles import profiles
from tasks import plugins
from tasks.execute import shared_pool

PROBED = 5
LIMITS = Limits(seconds=30.0, rows=PROBED, size=1 << 20, cut=True)
FOLDER = "profiles"


def open_evidence(catalog: Catalog, address: str, folder: Path | None) -> Evidence:
    """The evidence of a catalog's database at an address (none: of what was published), opened when it is first asked.

    Profiles are kept in ``folder``, that of the ingested benchmark, where there is one.
    """
    if address and catalog.dialect != "cypher":
        return DatabaseEvidence(catalog, address, folder / FOLDER if folder else None)
    return PublishedEvidence(catalog)


class DatabaseEvidence:
    """Evidence from a database: profiles of its fields, and answers to probing queries; safe under threads."""

    def __init__(self, catalog: Catalog, address: str, folder: Path | None) -> None:
        self.catalog = catalog
        self.address = address
        self.folder = folder
        self._lock = Lock()

    @property
    def source(self) -> str:
        """What the evidence is read from."""
        return "Statistics are of the database's contents, of at most 10,000 rows a table; queries can be run."

    @cached_property
    def _profiles(self) -> Mapping[Element, Profile]:
        return profiles(self.catalog, self.address, self.folder)

    @cached_property
    def _database(self) -> IsolatedDatabase:
        return IsolatedDatabase(shared_pool(), self.address, LIMITS)

    def profile(self, element: Element) -> Profile | None:
        """The profile of a field; None for entities, and for fields of tables that could not be read in time."""
        with self._lock:
            return self._profiles.get(element)

    def probe(self, query: str) -> Rows:
        """At most five rows of one read-only query within 30 s; raise Failure with the database's own error."""
        text = plugins.language(self.catalog.dialect).limited(query, self.catalog.dialect, PROBED)
        with self._lock:
            database = self._database
        return database.run(text)


class PublishedEvidence:
    """Evidence where no database is at hand: the sample values of the catalog, and no queries."""

    source = (
        "The database is not at hand: only a few sample values are known, no null ratios, ranges, counts or histograms,"
        " and no query can be run."
    )

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog

    def profile(self, element: Element) -> Profile | None:
        """The sample values of a field; None where there are none."""
        field = self.catalog.field(element.entity, element.field) if element.field else None
        if field is None or not field.examples:
            return None
        return Profile(element.entity, field.name, "published", 0, whole=False, samples=field.examples)

    def probe(self, query: str) -> Rows:
        """Always a Failure ``no_database``."""
        raise Failure("no_database", f"{self.catalog.database} is not at hand, so no query can be run")
