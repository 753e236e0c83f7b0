"""The notebooks run from their first cell to their last, and write nothing."""

import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Cli

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")


def run(path: Path, monkeypatch: pytest.MonkeyPatch, **environment: str) -> list[str]:
    """Execute a notebook in its folder; the text of all its outputs."""
    for name, value in {"PYTHONPATH": str(ROOT), "MPLBACKEND": "agg", **environment}.items():
        monkeypatch.setenv(name, value)
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        assert not cell.get("outputs"), f"{path.name} is committed with outputs"
    manager = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": path.parent}}
    )
    manager.create_kernel_manager()
    manager.km.kernel_cmd = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [str(output.get("data", {}).get("text/plain", output.get("text", ""))) for output in outputs]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_explore_a_run(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slow: prepares and evaluates the demo, then starts a notebook kernel."""
    assert cli("prepare", "demo").returncode == 0
    linkers = "full,random,exact_match,schemagraphsql(endpoints=oracle)"
    assert cli("evaluate", "--benchmarks", "demo", "--linkers", linkers, "--run", "demo", prefect=True).returncode == 0
    before = sorted(tmp_path.rglob("*"))
    told = run(ROOT / "notebooks" / "01_explore_a_run.ipynb", monkeypatch, SCHEMALINK_STORAGE=str(tmp_path))
    assert sum("schemagraphsql" in text for text in told) >= 3, told
    assert any("source" in text and "destination" in text for text in told)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_schemagraphsql(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slow: starts a notebook kernel. It reads the committed results."""
    folder = ROOT / "notebooks" / "results"
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    told = run(ROOT / "notebooks" / "02_schemagraphsql.ipynb", monkeypatch)
    assert any("llm_tables" in text and "recall" in text for text in told), told
    assert any("small-bird" in text and "small-spider" in text for text in told), told
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 2_000_000


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_text2cypher(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slow: starts a notebook kernel. It reads the committed results."""
    told = run(ROOT / "notebooks" / "03_text2cypher.ipynb", monkeypatch)
    assert any("told apart" in text and "execution_match" in text for text in told), told
    assert any("graphdblite" in text for text in told), told


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_evilink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slow: starts a notebook kernel. It reads the committed results."""
    folder = ROOT / "notebooks" / "results"
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    told = run(ROOT / "notebooks" / "04_evilink.ipynb", monkeypatch)
    assert any("SRR" in text and "evilink K=4" in text for text in told), told
    assert any("recovery" in text and "strict recall" in text for text in told), told
    assert any("hypotheses recorded: 4" in text for text in told), told
    assert any("difference to full" in text for text in told), told
    assert any("How many visits" in text and "hypothesis: number 4" in text for text in told), told
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
