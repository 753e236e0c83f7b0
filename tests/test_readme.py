"""The README tells the truth: its tables name every plug-in, its commands are commands, its layers are the rule."""

import re
import shlex
import tomllib
from importlib import import_module
from importlib.metadata import packages_distributions

import pytest

from flows.__main__ import COMMANDS, Parser
from flows.arguments import storage
from tasks import plugins
from tasks.labels import parse
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMAND = re.compile(r"^\$ python -m flows (.+?)(?:\s{2,}#.*)?$", re.MULTILINE)


@pytest.mark.parametrize("family", ["linkers", "benchmarks", "metrics", "formats"])
def test_a_table_names_every_plug_in_once(family: str) -> None:
    section = README.split(f"(`tasks/{family}`)")[1].split("\n### ")[0].split("\n## ")[0]
    first_cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    named = [name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(plugins.names(family))


@pytest.mark.parametrize("line", COMMAND.findall(README))
def test_every_command_line_is_understood(line: str) -> None:
    command, *words = shlex.split(line.split(" > ", maxsplit=1)[0])
    assert command in COMMANDS
    parser = Parser(prog=command)
    parser.add_argument("--storage", type=storage)
    import_module(f"flows.{command.replace('-', '_')}").add_arguments(parser)
    arguments = parser.parse_args(words)
    for label in re.findall(r'--linkers? "([^"]+)"', line):
        from tasks.labels import split

        assert all(parse(each) for each in split(label))
    assert arguments is not None


def test_there_are_commands_in_the_readme() -> None:
    assert len(COMMAND.findall(README)) >= 8


def test_every_command_exists_and_says_what_it_does() -> None:
    for name in COMMANDS:
        module = import_module(f"flows.{name.replace('-', '_')}")
        assert module.__doc__
        assert callable(module.main)


def test_nobody_else_claims_our_package_names() -> None:
    ours = packages_distributions()
    for name in ("schemas", "storage", "tasks", "flows"):
        assert set(ours.get(name, ["schemalink"])) == {"schemalink"}


def test_constraints_pin_every_dependency() -> None:
    pins = {
        line.split("==")[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if "==" in line
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    made = re.findall(r"\w+", (ROOT / "Makefile").read_text().split("--editable '.[")[1].split("]")[0])
    wanted = project["dependencies"] + [each for extra in made for each in project["optional-dependencies"][extra]]
    names = {re.split(r"[<>=\[;]", text)[0].lower() for text in wanted}
    assert names <= pins
