"""What is told of a run while it runs and at its end: a bar on the terminal, artifacts on the Prefect server."""

import io
import os
import re
import time
from contextlib import AbstractContextManager, nullcontext, redirect_stdout, suppress
from pathlib import Path
from typing import Any, Self
from uuid import UUID

from httpx import HTTPError
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import ArtifactCreate, ArtifactUpdate
from prefect.exceptions import PrefectException
from prefect.settings import PREFECT_API_URL, temporary_settings
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from flows.reports import print_leaderboard
from storage.files import read_json
from storage.layout import Store

PAUSE = 1.0
TROUBLE = (HTTPError, PrefectException, ValueError)


def reporting() -> AbstractContextManager[object]:
    """Report to the server that is named now, whichever was when Prefect was imported."""
    named = os.environ.get("PREFECT_API_URL")
    return temporary_settings({PREFECT_API_URL: named}) if named else nullcontext()


class Bulletin:
    """Progress in questions; the Prefect server is told at most once a second, and its trouble ends nothing."""

    def __init__(self, run: str, total: int, flow_run: str) -> None:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
        )
        console = Console(stderr=True)
        unseen = not console.is_terminal
        self.bar = Progress(*columns, TimeRemainingColumn(), console=console, transient=True, disable=unseen)
        self.line = self.bar.add_task(run, total=total, rate="")
        self.total = total
        self.run, self.flow_run = run, flow_run
        self.done = self.failed = 0
        self.started = time.monotonic()
        self.told = 0.0
        self.artifact: UUID | None = None

    def __enter__(self) -> Self:
        """Show the bar."""
        self.bar.start()
        self._tell()
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the bar and tell the last figures."""
        self.bar.stop()
        self._tell()

    def advance(self, questions: int, failed: int) -> None:
        """Count a shard's questions that have come to their end, and the shards that failed so far."""
        self.done, self.failed = self.done + questions, failed
        self.bar.update(self.line, advance=questions, rate=f"{self.rate:,.0f} questions/s")
        if time.monotonic() - self.told >= PAUSE:
            self._tell()

    @property
    def rate(self) -> float:
        """Questions a second since the start."""
        return self.done / max(1e-9, time.monotonic() - self.started)

    def _tell(self) -> None:
        self.told = time.monotonic()
        percent = 100.0 * self.done / max(1, self.total)
        failed = f", {self.failed} shards failed" if self.failed else ""
        text = f"{self.run}: {self.done:,} of {self.total:,} questions, {self.rate:,.1f} questions/s{failed}"
        with suppress(*TROUBLE), get_client(sync_client=True) as client:
            if self.artifact:
                client.update_artifact(self.artifact, ArtifactUpdate(data=percent, description=text))
            else:
                self.artifact = _create(client, f"progress-{self.run}", "progress", percent, text, self.flow_run)


def publish_leaderboard(store: Store, run: Path) -> None:
    """Show a finished run's leaderboard on the Prefect server, as an artifact ``leaderboard-RUN`` of its flow run."""
    with redirect_stdout(io.StringIO()) as text:
        print_leaderboard(store, [run.name], levels=("entity", "field", "query"), form="markdown", required=False)
    told = read_json(run / "run.json")
    with suppress(*TROUBLE), reporting(), get_client(sync_client=True) as client:
        _create(client, f"leaderboard-{run.name}", "markdown", text.getvalue(), run.name, told.get("flow_run", ""))


def _create(client: Any, name: str, kind: str, data: str | float, description: str, flow_run_id: str) -> UUID:
    about: dict[str, Any] = {"flow_run_id": UUID(flow_run_id)} if flow_run_id else {}
    artifact = ArtifactCreate(key=key(name), type=kind, data=data, description=description, **about)
    created: UUID = client.create_artifact(artifact).id
    return created


def key(name: str) -> str:
    """An artifact's key: lower-case letters, digits and dashes.

    >>> key("leaderboard-demo_2025.qwen")
    'leaderboard-demo-2025-qwen'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
