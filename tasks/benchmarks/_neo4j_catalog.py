"""The catalog of a live Neo4j over Bolt, by the introspection of Neo4j's own library (it needs APOC on the server)."""

from typing import TYPE_CHECKING

from schemas.catalog import Catalog
from schemas.errors import UserError
from tasks.benchmarks._structured_schema import structured_catalog

if TYPE_CHECKING:
    import neo4j

SCHEMES = ("bolt://", "bolt+s://", "bolt+ssc://", "neo4j://", "neo4j+s://", "neo4j+ssc://")
SAMPLE = 1000
INSTALL = "install it with: pip install -e '.[graph]'"


def bolt_catalog(
    uri: str,
    database: str = "neo4j",
    *,
    user: str = "",
    password: str = "",
    sample: int = SAMPLE,
    seconds: float = 60.0,
) -> Catalog:
    """The catalog of one database of a server; what a person can mend is a UserError that names the address."""
    try:
        import neo4j
    except ImportError as error:
        raise UserError(f"a graph over Bolt needs the package {error.name}; {INSTALL}") from error
    try:
        with neo4j.GraphDatabase.driver(uri, auth=(user, password) if user else None) as driver:
            driver.verify_connectivity()
            return driver_catalog(driver, database, sample=sample, seconds=seconds)
    except (neo4j.exceptions.DriverError, neo4j.exceptions.Neo4jError, neo4j.exceptions.ConfigurationError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError(f"cannot read the graph at {uri}: {first}") from error


def driver_catalog(driver: "neo4j.Driver", database: str, *, sample: int = SAMPLE, seconds: float = 60.0) -> Catalog:
    """The catalog of a database through an open driver.

    ``sample`` nodes a label are looked at for properties, values of labels with fewer than 10,000 nodes are read in
    full, of larger ones five; each query may take so many ``seconds``; lists of 128 and more values are left out.
    """
    try:
        from neo4j.exceptions import ClientError
        from neo4j_graphrag.schema import get_structured_schema
    except ImportError as error:
        raise UserError(f"a graph over Bolt needs the package {error.name}; {INSTALL}") from error
    try:
        schema = get_structured_schema(
            driver, is_enhanced=True, database=database, timeout=seconds, sanitize=True, sample=sample
        )
    except ClientError as error:
        if "ProcedureNotFound" in (error.code or ""):
            advice = "install the APOC plug-in, without which nothing tells what a graph holds"
            raise UserError(f"graph {database!r}: its server lacks apoc.meta.data; {advice}") from error
        raise
    return structured_catalog(schema, database)
