"""The studies, on figures known from published data and on a small run."""

import re

import networkx as nx
import pytest

from flows.studies.oracle_endpoints import kind_of
from tests.conftest import Cli
from tests.data import need
from tests.stub_server import running

KNOWN = {
    "WHERE/HAVING, the paper's id heuristic": (95.72, 98.10, 95.93, 95.68, 86.44, 91.07),
    "+ ORDER BY": (97.80, 98.09, 97.35, 97.74, 90.22, 94.98),
    "WHERE/HAVING, no id heuristic": (95.63, 98.10, 95.88, 95.60, 86.18, 90.81),
    "all pairs, + ORDER BY": (97.82, 97.68, 97.07, 97.73, 89.37, 95.05),
    "full schema": (100.00, 32.92, 46.89, 92.55, 1.04, 100.00),
}


@pytest.mark.slow
def test_oracle_endpoints_on_bird_have_their_known_figures(cli: Cli) -> None:
    """Slow: five linkers on 1,534 questions through the flow."""
    assert cli("prepare", "bird", "--from", str(need("bird"))).returncode == 0
    done = cli("study", "oracle-endpoints", "bird", prefect=True)
    assert done.returncode == 0, done.stderr
    for name, figures in KNOWN.items():
        line = next(line for line in done.stdout.splitlines() if line.startswith(name))
        found = [float(text) for text in re.findall(r"\d+\.\d\d", line.removeprefix(name))]
        assert found == pytest.approx(list(figures), abs=0.05), name
    kinds = re.search(r"137 questions miss 159 tables: (.*)", done.stdout)
    assert kinds
    assert sum(int(count) for count in re.findall(r"\d+", kinds[1])) == 159


@pytest.mark.parametrize(
    ("table", "ends", "kind"),
    [
        ("island", (["a"], ["c"]), "disconnected"),
        ("b", (["a"], ["a"]), "single endpoint"),
        ("x", (["a"], ["c"]), "longer path"),
        ("leaf", (["a"], ["c"]), "join-only leaf"),
        ("far", (["a"], ["c"]), "other"),
    ],
)
def test_a_missed_table_has_a_kind(table: str, ends: tuple[list[str], list[str]], kind: str) -> None:
    graph = nx.Graph(
        [("a", "b"), ("b", "c"), ("a", "x"), ("x", "y"), ("y", "c"), ("c", "leaf"), ("b", "m"), ("m", "far")]
    )
    graph.add_node("island")
    gold = {"a", "c", "x", "y", "leaf", "far", "island", "b"} - ({"b"} if table == "far" else set())
    assert kind_of(table, graph, gold, ends) == kind


def test_a_configuration_is_chosen_without_the_database_it_is_reported_on(cli: Cli, tiny: object) -> None:
    labels = "full,random(size=1),random(size=2)"
    assert cli("evaluate", "--benchmarks", "tiny", "--linkers", labels, "--run", "some", prefect=True).returncode == 0
    done = cli("study", "choose-configuration", "some", "--metric", "recall")
    assert done.returncode == 0, done.stderr
    assert "same split  100.00" in done.stdout
    assert "held out    100.00" in done.stdout
    assert "optimism    0.00" in done.stdout


def test_unknown_metrics_and_studies_list_what_exists(cli: Cli, tiny: object) -> None:
    assert cli("evaluate", "--benchmarks", "tiny", "--linkers", "full", "--run", "some", prefect=True).returncode == 0
    refused = cli("study", "choose-configuration", "some", "--metric", "recal")
    assert refused.returncode == 2
    assert "unknown metric of level entity 'recal'; did you mean 'recall'?" in refused.stderr
    alone = cli("study", "choose-configuration", "some")
    assert "has 1 of the linkers to choose from" in alone.stderr
    refused = cli("study", "oracle-endpoint", "tiny")
    assert refused.returncode == 2
    assert "did you mean 'oracle-endpoints'?" in refused.stderr


def test_discovered_joins_are_judged_by_hidden_keys(cli: Cli, tiny: object) -> None:
    answer = "Order.customer_id -> customer.id\nline.price -> customer.city\nline.nothing -> Order.id"
    with running("--text", answer) as stub:
        done = cli("study", "joins", "tiny", "--endpoint", stub.url)
        assert done.returncode == 0, done.stderr
        asked = stub.texts()
    assert (
        "all databases                 precision  50.00  recall  50.00  (3 of 6 discovered and 6 declared)"
        in done.stdout
    )
    assert asked
    assert not any("FOREIGN KEY" in text or "REFERENCES" in text for text in asked)
