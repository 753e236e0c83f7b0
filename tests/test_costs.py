"""What runs cost: prices checked, money computed by hand."""

import json
from pathlib import Path

import pytest

from schemas.errors import UserError
from schemas.records import Linking, Query
from storage import parquet
from storage.files import write_json
from storage.layout import Store
from storage.prices import read_prices
from storage.warehouse import connect
from tests.conftest import Cli

PRICES = """
machine_hour = 3.6
[models."hosted*"]
prompt = 2.0
cached = 1.0
completion = 10.0
[models."hosted-large"]
prompt = 20.0
[models."own"]
gpu_hour = 7.2
gpus = 2
concurrency = 4
"""


@pytest.fixture
def spent(tmp_path: Path) -> Path:
    run = tmp_path / "runs" / "spent"
    usage = {"calls": 1, "prompt_tokens": 1_000_000, "cached_tokens": 250_000, "completion_tokens": 100_000}
    linkings = [
        Linking("b", "d", "1", "free", seconds=0.5),
        Linking("b", "d", "1", "asks", model="hosted-small", **usage),
        Linking("b", "d", "1", "asks more", model="hosted-large", **usage),
        Linking("b", "d", "1", "asks ours", model="own", model_seconds=1000.0, **usage),
        Linking("b", "d", "1", "asks strangers", model="unheard-of", **usage),
    ]
    parquet.write(run / "linkings.parquet", Linking, linkings)
    parquet.write(run / "queries.parquet", Query, [Query("b", "d", "1", "asks", "ddl", model="hosted-small", **usage)])
    write_json(run / "run.json", {"name": "spent", "configuration": {}})
    (tmp_path / "prices.toml").write_text(PRICES)
    return tmp_path


def test_money_is_what_the_prices_say(spent: Path) -> None:
    rows = (
        connect(Store(spent), prices=spent / "prices.toml").execute("SELECT linker, stage, money FROM costs").fetchall()
    )
    money = {(linker, stage): value for linker, stage, value in rows}
    assert money["free", "link"] == 0
    assert money["asks", "link"] == pytest.approx(0.75 * 2 + 0.25 * 1 + 0.1 * 10)
    assert money["asks", "generate"] == money["asks", "link"]
    assert money["asks more", "link"] == pytest.approx(0.75 * 20)
    assert money["asks ours", "link"] == pytest.approx(1000 / 4 * 2 * 7.2 / 3600)
    assert money["asks strangers", "link"] is None


def test_a_linkers_own_time_has_its_price(spent: Path) -> None:
    query = "SELECT machine_money FROM costs WHERE linker = 'free'"
    [(money,)] = connect(Store(spent), prices=spent / "prices.toml").execute(query).fetchall()
    assert money == pytest.approx(0.5 * 3.6 / 3600)


def test_the_command_prints_totals(cli: Cli, spent: Path) -> None:
    done = cli("leaderboard", "--costs", "--prices", str(spent / "prices.toml"), "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = {(row["linker"], row["stage"]): row for row in json.loads(done.stdout)}
    assert rows["asks", "generate"]["money"] == pytest.approx(2.75)
    assert rows["asks strangers", "link"]["money"] is None
    assert rows["asks", "link"]["tokens_a_question"] == 1_100_000
    assert "own ms" in cli("leaderboard", "--costs").stdout


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[models.x]\npromt = 1", "unknown price of 'x' in .*'promt'; did you mean 'prompt'?"),
        ("[modells.x]\nprompt = 1", "'modells'; did you mean 'models'?"),
        ("[models.x]\nprompt = -1", "prompt of 'x' is -1, must be a number of dollars"),
        ("[models.x", "broken TOML"),
    ],
)
def test_a_wrong_price_file_is_told(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(UserError, match=told):
        read_prices(path)
