"""Errors of two kinds: what a person can mend, and what becomes a row with a status."""

from collections.abc import Iterable
from difflib import get_close_matches


class UserError(Exception):
    """A mistake that its reader can mend: one line that says what, where and what to do."""


class Faults(UserError):
    """Every fault found in somebody's files, one a line."""

    def __init__(self, where: str, faults: Iterable[str]) -> None:
        self.where = where
        self.faults = tuple(faults)
        super().__init__("\n".join(f"{where}: {fault}" for fault in self.faults))

    def __reduce__(self) -> tuple[type["Faults"], tuple[str, tuple[str, ...]]]:
        """Travel between processes with both arguments."""
        return type(self), (self.where, self.faults)


class Failure(Exception):
    """What goes wrong with one question: a status of the results and its reason; it never ends a run."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(f"{status}: {reason}")
        self.status = status
        self.reason = reason

    def __reduce__(self) -> tuple[type["Failure"], tuple[str, str]]:
        """Travel between processes with both arguments."""
        return type(self), (self.status, self.reason)


def unknown(what: str, value: str, known: Iterable[str]) -> UserError:
    """Build the error for a name that does not exist: it quotes the name, suggests the nearest, lists what exists.

    >>> print(unknown("linker", "ful", ["full", "oracle"]))
    unknown linker 'ful'; did you mean 'full'? there are: full, oracle
    """
    names = sorted(set(known))
    folded = {name.casefold(): name for name in names}
    near = get_close_matches(value.casefold(), list(folded), n=1, cutoff=0.5)
    hint = f"; did you mean {folded[near[0]]!r}?" if near else ";"
    shown = ", ".join(names[:30]) + (f" and {len(names) - 30} more" if len(names) > 30 else "")
    return UserError(f"unknown {what} {value!r}{hint} there are: {shown or 'none'}")
