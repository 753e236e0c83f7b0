"""The command line: ``python -m flows COMMAND``; exit status 0 done, 1 something failed, 2 bad usage, 3 stopped."""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NoReturn

from schemas.errors import UserError

COMMANDS = {
    "prepare": "ingest a benchmark: read its published files, resolve gold elements, write Parquet",
    "evaluate": "run linkers over benchmarks: link, generate, execute, score",
    "sweep": "plan, run and watch a grid of models, benchmarks and linkers",
    "families": "show which tables of a benchmark are shards or copies of one another",
    "link": "link one question on your own database",
    "leaderboard": "show a run's metrics with error bars",
    "compare": "compare runs or linkers on the same questions: differences, tests, flips",
    "runs": "list the runs, or remove some",
    "export": "write a leaderboard for a paper: LaTeX, Markdown, CSV",
    "query": "ask the results a question in SQL",
    "show": "tell one question's story",
    "adopt": "take published predictions in as a run",
    "publish": "copy a run without any text of its benchmark: ids, names, figures",
    "study": "answer a methodological question from benchmark and runs",
    "check-gold": "run gold queries against themselves: the reachable ceiling",
    "serve": "start model servers",
    "cache": "show or prune the cache of model replies",
}


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line that suggests the nearest word."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Take words that follow an option into the list of words that stands before it: ``runs prune --keep 1 a``."""
        found, left = super().parse_known_args(args, namespace)
        lists = [each.dest for each in self._actions if not each.option_strings and each.nargs in ("*", "+")]
        if left and lists and not any(word.startswith("-") for word in left):
            setattr(found, lists[-1], [*getattr(found, lists[-1]), *left])
            left = []
        return found, left

    def error(self, message: str) -> NoReturn:
        """Print the mistake and end with status 2."""
        if choice := re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message):
            near = get_close_matches(choice[1], re.findall(r"[\w-]+", choice[2]), n=1)
            message += f"; did you mean {near[0]!r}?" if near else ""
        if "unrecognized arguments: -" in message:
            given = message.split("unrecognized arguments: ")[1].split(maxsplit=1)[0]
            options = [text for action in self._actions for text in action.option_strings]
            near = get_close_matches(given.split("=")[0], options, n=1)
            message += f"; did you mean {near[0]}?" if near else f"; there are: {', '.join(sorted(options))}"
        self.exit(2, f"{self.prog}: {message}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; a mistake that its reader can mend is one line on standard error."""
    words = list(sys.argv[1:] if argv is None else argv)
    if not words or words[0] in ("-h", "--help"):
        print(_overview())
        return 0 if words else 2
    if words[0] not in COMMANDS:
        near = get_close_matches(words[0], COMMANDS, n=1)
        hint = f" did you mean {near[0]!r}?" if near else ""
        print(f"unknown command {words[0]!r};{hint} there are: {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    return _run(words[0], words[1:])


def _overview() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {text}" for name, text in COMMANDS.items()]
    head = "usage: python -m flows COMMAND [options]     (python -m flows COMMAND --help)"
    return "\n".join([head, "", "A linker is a function from a catalog to a smaller catalog.", "", *lines])


def parser_of(command: str, kind: type[Parser] = Parser) -> Parser:
    """The parser of one command's arguments."""
    from flows import arguments as shared

    parser = kind(prog=f"python -m flows {command}", description=COMMANDS[command])
    told = "the folder of all results, or its URL (results)"
    parser.add_argument("--storage", type=shared.storage, default=shared.storage("results"), help=told)
    _module(command).add_arguments(parser)
    return parser


def _module(command: str) -> Any:
    return import_module(f"flows.{command.replace('-', '_')}")


def _run(command: str, words: Sequence[str]) -> int:
    from storage import places

    module, parser = _module(command), parser_of(command)
    try:
        passed_on = list(words).index("--") if "--" in words and hasattr(module, "PASSED_ON") else len(words)
        arguments = parser.parse_args(words[:passed_on])
        arguments.passed_on = words[passed_on + 1 :]
        status: int = module.main(arguments)
        return status
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; the same command goes on where it was", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        reason = places.reason(error) if places.is_of_store(error) else _unreadable(error)
        if not reason:
            raise
        print(f"{arguments.storage}: {reason}", file=sys.stderr)
        return 2


def _unreadable(error: Exception) -> str:
    """What DuckDB says of a result file that is broken or gone; nothing of any other error."""
    told = str(error).partition("\n")[0]
    of_file = type(error).__name__ in ("InvalidInputException", "IOException") and ".parquet" in told
    return f"{told}; remove that run (runs prune NAME) and evaluate again" if of_file else ""


if __name__ == "__main__":
    sys.exit(main())
