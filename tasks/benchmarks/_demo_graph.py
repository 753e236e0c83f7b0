"""The demo's graph: huts, peaks and paths of a mountain valley, and who was where, drawn from a seed.

It is awkward in that huts and peaks have properties of the same names, that a person is a hiker and perhaps a warden,
and that hikers and huts are joined in two ways: by nights spent there and by running the place.
"""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from random import Random
from typing import Any

NAME = "trails"
SEED = 20240611
HUTS = "Almhorn Birkli Cresta Dorfer Eisegg Furgg Gletsch Hochkar Ibach Jochli Kaltbad Lerch"
PEAKS = "Rotspitz Schwarzhorn Gamsfels Weissgrat Nebelkopf Sturmturm Adlerwand Kleinhorn"
VILLAGES = "Talheim Obergrund Seeboden Mittelmatt Hinterau"
GIVEN = "Anna Beat Clara David Emma Fritz Gina Hannes Irma Jakob Klara Lukas Maria Noah Olivia Peter"
FAMILY = "Amann Bieri Caduff Derungs Egger Fuchs Gasser Huber"
CLUBS = ("Alpine Friends", "Granite Club", "Sunday Walkers")
MARKINGS = ("red-white", "yellow", "blue", "cairns")
LANGUAGES = ("German", "Italian", "French", "Romansh")
TRAIL_DIFFICULTY = ("easy", "demanding", "alpine")
Item = dict[str, Any]


class Drawing:
    """Nodes and relationships as they are drawn; node ids count from 0."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"{seed}/{NAME}")
        self.nodes: list[Item] = []
        self.rels: list[Item] = []

    def node(self, *labels: str, **properties: Any) -> int:
        """Add a node and give its id."""
        self.nodes.append({"id": len(self.nodes), "labels": list(labels), "props": properties})
        return len(self.nodes) - 1

    def link(self, start: int, kind: str, end: int, **properties: Any) -> None:
        """Add a relationship."""
        self.rels.append({"s": start, "e": end, "type": kind, "props": properties})

    def day(self, first: str, last: str) -> Item:
        """A day between two, both included."""
        start = date.fromisoformat(first)
        span = (date.fromisoformat(last) - start).days
        return {"$date": (start + timedelta(days=self.random.randint(0, span))).isoformat()}

    def some(self, values: Sequence[Any], least: int, most: int) -> list[Any]:
        """So many of the values, in their order."""
        chosen = set(self.random.sample(range(len(values)), self.random.randint(least, most)))
        return [value for at, value in enumerate(values) if at in chosen]


def build(seed: int = SEED) -> dict[str, list[Item]]:
    """The graph of a seed: ``nodes`` with ``id, labels, props`` and ``rels`` with ``s, e, type, props``."""
    drawing = Drawing(seed)
    villages = [
        drawing.node("Village", name=name, inhabitants=drawing.random.randint(80, 2400)) for name in VILLAGES.split()
    ]
    huts, peaks = list(_huts(drawing)), list(_peaks(drawing))
    people = list(_people(drawing))
    _trails(drawing, villages, huts, peaks)
    _stays(drawing, people, huts, peaks)
    return {"nodes": drawing.nodes, "rels": drawing.rels}


def _huts(drawing: Drawing) -> Iterator[int]:
    draw = drawing.random
    for name in HUTS.split():
        known: Item = {"name": f"{name} Hut", "altitude": draw.randint(1400, 3100), "beds": draw.randint(8, 90)}
        known |= {"opened": drawing.day("1890-05-01", "1998-09-30"), "showers": draw.random() < 0.4}
        yield drawing.node("Hut", **known)


def _peaks(drawing: Drawing) -> Iterator[int]:
    for name in PEAKS.split():
        altitude, first = drawing.random.randint(2500, 4100), drawing.random.randint(1811, 1934)
        yield drawing.node("Peak", name=name, altitude=altitude, firstClimbed=first)


def _people(drawing: Drawing) -> Iterator[int]:
    """Hikers, of whom every sixth is a warden as well."""
    draw = drawing.random
    for at in range(48):
        name = f"{GIVEN.split()[at % 16]} {FAMILY.split()[(at * 5 + at // 16) % 8]}"
        known: Item = {"name": name, "born": draw.randint(1950, 2004)}
        if draw.random() < 0.8:
            known["club"] = draw.choice(CLUBS)
        warden = at % 6 == 0
        yield drawing.node(
            *(("Hiker", "Warden") if warden else ("Hiker",)),
            **known,
            **({"languages": drawing.some(LANGUAGES, 1, 3)} if warden else {}),
        )


def _trails(drawing: Drawing, villages: list[int], huts: list[int], peaks: list[int]) -> None:
    draw = drawing.random
    for at in range(14):
        known = {"code": f"T{at + 1:02}", "difficulty": draw.choice(TRAIL_DIFFICULTY)}
        length = round(draw.uniform(4, 27), 1)
        trail = drawing.node("Trail", **known, lengthKm=length, markings=drawing.some(MARKINGS, 1, 2))
        drawing.link(trail, "STARTS_IN", villages[at % len(villages)])
        for stop, hut in enumerate(draw.sample(huts, draw.randint(1, 3)), 1):
            drawing.link(trail, "PASSES", hut, stop=stop, minutes=draw.randint(45, 260))
        if at % 3 != 1:
            drawing.link(trail, "LEADS_TO", draw.choice(peaks))
    for one, other in pairwise(huts):
        drawing.link(one, "NEAR", other, minutes=draw.randint(60, 300))


def _stays(drawing: Drawing, people: list[int], huts: list[int], peaks: list[int]) -> None:
    draw = drawing.random
    wardens = [person for person in people if "Warden" in drawing.nodes[person]["labels"]]
    for at, hut in enumerate(huts):
        drawing.link(wardens[at % len(wardens)], "RUNS", hut, since=draw.randint(1994, 2022))
    for person in people:
        for hut in draw.sample(huts, draw.randint(0, 4)):
            nights = draw.randint(1, 5)
            spent = {"nights": nights, "arrived": drawing.day("2022-06-01", "2023-10-10")}
            drawing.link(person, "SLEPT_AT", hut, **spent, paid=round(nights * draw.uniform(28, 61), 2))
        for peak in draw.sample(peaks, draw.randint(0, 3)):
            drawing.link(
                person, "CLIMBED", peak, on=drawing.day("2022-06-01", "2023-10-10"), hours=round(draw.uniform(2, 11), 1)
            )
        for other in draw.sample([one for one in people if one != person], draw.randint(0, 2)):
            drawing.link(person, "KNOWS", other)
