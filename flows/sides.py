"""Which linkers of which runs are compared with which."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from schemas.errors import UserError, unknown
from storage.pairs import Side
from tasks import labels

Scored = Mapping[str, Sequence[str]]


def named(words: Sequence[str], runs: Sequence[str]) -> list[tuple[str, str]]:
    """Runs with the label that follows each, ``RUN:LABEL``, or with nothing."""
    found = [_parted(word, runs) for word in words]
    for run, _ in found:
        if run not in runs:
            raise unknown("run", run, runs)
    return found


def _parted(word: str, runs: Sequence[str]) -> tuple[str, str]:
    """A run and the label after it; of several runs that it may mean, whose names hold colons, the longest."""
    if word in runs:
        return word, ""
    run = max((run for run in runs if word.startswith(f"{run}:")), key=len, default=word.partition(":")[0])
    return run, word[len(run) + 1 :]


def chosen(
    words: Sequence[tuple[str, str]], scored: Scored, linkers: Sequence[str] = (), baseline: str = ""
) -> list[tuple[Side, Side]]:
    """The pairs to compare, A before B.

    Runs without labels are compared linker by linker where they share linkers; all else with all else, or with the
    ``baseline``: a label, a run, or ``RUN:LABEL``.
    """
    sides = [Side(run, label) for run, given in words for label in _labels(run, given, linkers, scored)]
    sides = list(dict.fromkeys(sides))
    groups = [sides]
    if len({run for run, _ in words}) > 1 and not any(given for _, given in words):
        shared = [[side for side in sides if side.linker == label] for label in dict.fromkeys(s.linker for s in sides)]
        groups = [group for group in shared if len(group) > 1] or _single(sides)
    if baseline:
        return _against(baseline, sides, groups)
    pairs = [pair for group in groups for pair in combinations(group, 2)]
    if not pairs:
        raise UserError(f"there is only {sides[0]} to compare: name another run, or another linker with --linkers")
    return pairs


def _labels(run: str, given: str, linkers: Sequence[str], scored: Scored) -> list[str]:
    """The labels that are meant of one run, as its results spell them."""
    if not scored[run]:
        raise UserError(f"run {run!r} has no scores: no question has a gold, or it has not finished a shard")
    asked = [given] if given else list(linkers)
    return [_known(label, run, scored[run]) for label in asked] or list(scored[run])


def _known(label: str, run: str, known: Sequence[str]) -> str:
    if label in known:
        return label
    try:
        spelled = labels.label(labels.parse(label))
    except UserError:
        spelled = label
    if spelled not in known:
        raise unknown(f"linker of run {run!r}", label, known)
    return spelled


def _single(sides: Sequence[Side]) -> list[list[Side]]:
    """Runs of one linker each are compared whatever it is; of others it must be said."""
    if len({side.run for side in sides}) < len(sides):
        told = "; ".join(map(str, sides))
        raise UserError(f"the runs share no linker: name what to compare as RUN:LABEL, of {told}")
    return [list(sides)]


def _against(baseline: str, sides: Sequence[Side], groups: Sequence[Sequence[Side]]) -> list[tuple[Side, Side]]:
    """Each group's baseline with its other sides; a baseline of one side only with all."""
    meant = [side for side in sides if baseline in (str(side), side.run, side.linker)]
    if not meant:
        spelled = {side.linker for side in sides if _same(baseline, side.linker)}
        meant = [side for side in sides if side.linker in spelled]
    if not meant:
        names = {name for side in sides for name in (*side, str(side))}
        raise unknown("baseline", baseline, names)
    if len(meant) == 1:
        return [(meant[0], side) for side in sides if side != meant[0]]
    pairs = [(base, side) for group in groups for base in group if base in meant for side in group if side not in meant]
    if not pairs:
        raise UserError(f"baseline {baseline!r} is several: {', '.join(map(str, meant))}; name one as RUN:LABEL")
    return pairs


def _same(text: str, label: str) -> bool:
    try:
        return labels.label(labels.parse(text)) == label
    except UserError:
        return False
