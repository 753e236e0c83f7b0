"""What is assumed where nothing was measured: said beside every estimate that it enters."""

from tasks import labels

SAID = {"link": 30.0, "generate": 60.0}
CALL_SECONDS = {"embedded": 5.0, "server": 2.0}
OWN_SECONDS = 0.005
PICKED = 0.5
DECIDING, RECOVERING = 6.0, 2.0


def calls(label: str) -> float:
    """The calls of one question that are assumed of a linker whose later calls depend on earlier replies; else 0.

    SchemaGraphSQL picks among paths where there are several, which is assumed of every other question; EviLink asks for
    hypotheses, selects tables and fields under each, and its agent takes some turns.

    >>> calls("schemagraphsql"), calls("schemagraphsql(configuration=n-n)"), calls("evilink(hypotheses=2)")
    (0.0, 1.5, 13.0)
    """
    return sum(_stage(stage.name, dict(stage.options)) for stage in labels.parse(label))


def _stage(name: str, options: dict[str, labels.Value]) -> float:
    known = {key: option.default for key, option in labels.options(name).items()} | options
    if name == "schemagraphsql":
        forced = str(known["configuration"]).startswith("force")
        asks = (known["pick"] or known["endpoints"]) == "model"
        return 0.0 if forced or not asks else (known["endpoints"] == "model") + PICKED
    if name == "evilink":
        return (
            1 + 2 * float(known["hypotheses"]) + DECIDING * bool(known["refine"]) + RECOVERING * bool(known["recovery"])
        )
    return 0.0
