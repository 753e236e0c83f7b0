import csv
import io
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as published_mcnemar
from statsmodels.stats.multitest import multipletests

from flows.sides import chosen, named
from schemas.errors import UserError
from schemas.records import Question, Reference, Score
from storage import comparisons, parquet
from storage.comparisons import compare, detectable, holm, mcnemar, sign_flip, student
from storage.files import write_json
from storage.pairs import Side
from tests.benchmarks.null import rejections
from tests.conftest import Cli

RANDOM = np.random.default_rng(7)


@pytest.mark.parametrize("clusters", [6, 9, 12])
@pytest.mark.parametrize("shift", [0.0, 0.4, -1.0])
def test_the_sign_flip_test_is_scipys_permutation_test(clusters: int, shift: float) -> None:
    totals = RANDOM.normal(shift, 1, clusters)
    published = stats.permutation_test((totals,), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip(totals, np.ones(clusters))[2] == pytest.approx(published.pvalue, abs=1e-12)


@pytest.mark.parametrize("shift", [0.0, 0.15, 0.4, 0.6])
def test_random_flips_come_near_to_scipys(shift: float) -> None:
    totals = RANDOM.normal(shift, 1, 40)
    published = stats.permutation_test((totals,), np.sum, permutation_type="samples", n_resamples=50_000, rng=1)
    found = sign_flip(totals, RANDOM.integers(1, 50, 40))[2]
    assert found is not None
    error = math.sqrt(published.pvalue * (1 - published.pvalue) * (1 / 50_000 + 1 / comparisons.FLIPS)) * math.sqrt(2)
    assert abs(found - published.pvalue) < 4 * error + 2 / comparisons.FLIPS


def test_equal_sums_count_half_and_the_observed_one_in_full() -> None:
    totals = np.array([3, 1, 1, 2, 0, 1, -1, 2])
    sums = np.array([np.dot(totals, subset) for subset in np.ndindex(*[2] * 8)])
    others = (sums == 0).sum() - 1
    assert others > 3
    assert sign_flip(totals, np.ones(8))[2] == pytest.approx(2 * (1 + (sums < 0).sum() + others / 2) / 256)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(-6, 6), st.integers(6, 40)), min_size=2, max_size=24))
def test_the_interval_leaves_out_0_exactly_where_the_test_rejects(clusters: list[tuple[int, int]]) -> None:
    totals, counts = zip(*clusters, strict=True)
    low, high, p = sign_flip(totals, counts)
    assert p is not None
    if len(clusters) < 6:
        assert (low, high) == (None, None)
        assert p > 0.05
        return
    assert low is not None
    assert high is not None
    assert low <= sum(totals) / sum(counts) + 1e-9
    assert sum(totals) / sum(counts) <= high + 1e-9
    assert (p <= 0.05) == (not low <= 0 <= high)


def test_the_interval_holds_what_the_shifted_test_does_not_reject() -> None:
    counts = RANDOM.integers(5, 60, 11)
    totals = RANDOM.normal(2, 3, 11)
    low, high, _ = sign_flip(totals, counts)
    assert low is not None
    assert high is not None
    for at, inside in ((low - 1e-6, False), (low + 1e-6, True), (high - 1e-6, True), (high + 1e-6, False)):
        p = sign_flip(totals - at * counts, counts)[2]
        assert p is not None
        assert (p > 0.05) == inside


def test_the_bootstrap_is_scipys_where_every_question_is_a_cluster() -> None:
    a, b = RANDOM.random(300), RANDOM.random(300) * 1.2
    found = compare(a, b, range(300))
    published = stats.bootstrap((b - a,), np.mean, method="percentile", n_resamples=20_000, rng=3).confidence_interval
    assert found.difference == pytest.approx((b - a).mean())
    assert found.bootstrap_low == pytest.approx(published.low, abs=0.06 * (published.high - published.low))
    assert found.bootstrap_high == pytest.approx(published.high, abs=0.06 * (published.high - published.low))
    assert found.low == pytest.approx(published.low, abs=0.06 * (published.high - published.low))
    assert found.high == pytest.approx(published.high, abs=0.06 * (published.high - published.low))


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (0, 1), (5, 5), (9, 1), (3, 14), (120, 90), (400, 330)])
def test_mcnemar_is_statsmodels_exact_test(gained: int, lost: int) -> None:
    published = published_mcnemar([[50, lost], [gained, 10]], exact=True).pvalue
    assert mcnemar(gained, lost) == pytest.approx(published, rel=1e-9)


@pytest.mark.parametrize(("gained", "lost"), [(700, 500), (501, 500), (2000, 1990)])
def test_mcnemar_of_many_is_statsmodels_chi_squared(gained: int, lost: int) -> None:
    published = published_mcnemar([[50, lost], [gained, 10]], exact=False, correction=True).pvalue
    assert mcnemar(gained, lost) == pytest.approx(published, rel=1e-9)


@pytest.mark.parametrize("number", [1, 2, 7, 30])
def test_holm_is_statsmodels(number: int) -> None:
    for values in (RANDOM.random(number) ** 3, np.round(RANDOM.random(number), 1) / 10):
        assert holm(values.tolist()) == pytest.approx(list(multipletests(values, method="holm")[1]))


@pytest.mark.parametrize("share", [0.8, 0.975])
@pytest.mark.parametrize("freedom", [5, 7, 10, 19, 151])
def test_quantiles_of_t(share: float, freedom: int) -> None:
    assert student(share, freedom) == pytest.approx(stats.t.ppf(share, freedom), abs=3e-4)


def test_what_could_have_been_shown_is_by_the_jackknife() -> None:
    totals, counts = RANDOM.normal(1, 4, 14), RANDOM.integers(4, 90, 14)
    without = [(totals.sum() - t) / (counts.sum() - n) for t, n in zip(totals, counts, strict=True)]
    error = math.sqrt(13 / 14 * ((np.array(without) - totals.sum() / counts.sum()) ** 2).sum())
    expected = (stats.t.ppf(0.975, 13) + stats.t.ppf(0.8, 13)) * error
    assert detectable(totals, counts) == pytest.approx(expected, rel=1e-4)
    assert detectable(totals[:5], counts[:5]) is None
    assert detectable([0] * 9, [4] * 9) is None


def limits(pairs: int) -> tuple[float, float]:
    """Between which counts of rejections a test of level 5 % stays in 99.9 % of all simulations."""
    return stats.binom.ppf(0.0005, pairs, 0.05), stats.binom.ppf(0.9995, pairs, 0.05)


@pytest.mark.slow
def test_a_true_null_is_rejected_in_five_percent() -> None:
    """Slow: 2,000 simulated pairs of linkers on 20 databases."""
    counts, _ = rejections(2000, 20, seed=2026)
    low, high = limits(2000)
    assert low <= counts["sign flip"] <= high
    assert counts["interval"] == counts["sign flip"]
    assert counts["bootstrap"] > high
    assert counts["McNemar"] > 3 * high


def test_a_true_difference_of_what_could_be_shown_is_found_in_four_of_five() -> None:
    counts, found = rejections(250, 11, seed=5, better=0.88)
    could = [one.detectable for one in found if one.detectable is not None]
    assert np.mean([one.difference for one in found]) == pytest.approx(np.mean(could), rel=0.1)
    assert stats.binom.ppf(0.0005, 250, 0.77) <= counts["sign flip"] <= stats.binom.ppf(0.9995, 250, 0.82)


def test_few_clusters_have_no_interval_and_one_has_no_test() -> None:
    three = compare([0, 1, 0], [1, 1, 1], list("abc"))
    assert (three.low, three.high, three.detectable) == (None, None, None)
    assert three.p == pytest.approx(2 * (1 + 1 / 2) / 8)
    one = compare([0, 1, 0], [1, 1, 1], list("aaa"))
    assert (one.p, one.low, one.bootstrap_low, one.gained, one.lost) == (None, None, None, 2, 0)


DATABASES = [f"db{at}" for at in range(12)]


def scored(run: str, linker: str, skill: float, seed: int, *, questions: range = range(240)) -> Iterator[Score]:
    chance = np.random.default_rng(seed)
    for at in questions:
        recall = float(np.round(np.clip(chance.normal(skill, 0.3), 0, 1) * 4) / 4)
        about = ("made", DATABASES[at % 12], f"q{at}", linker, 0, "entity")
        yield Score(*about, "recall", recall)
        yield Score(*about, "strict_recall", float(recall == 1))
        yield Score(*about, "kept", float(chance.integers(1, 9)))
        yield Score(*about, "precision", None if at % 10 == 3 else recall / 2)


def write(store: Path, run: str, scores: list[Score], hashed: str = "1") -> list[Score]:
    folder = store / "runs" / run
    parquet.write(folder / "scores.parquet", Score, scores)
    about = {
        "name": run,
        "hash": "x",
        "configuration": {"benchmarks": {"made": hashed}},
        "created": "",
        "status": "done",
    }
    write_json(folder / "run.json", about)
    return scores


@pytest.fixture
def runs(tmp_path: Path) -> dict[str, list[Score]]:
    """Two runs of a made benchmark: one has three linkers, the other one of them on fewer and other questions."""
    gold = (Reference("t", "", ("from",)),)
    asked = [
        Question("made", f"q{at}", DATABASES[at % 12], "?", difficulty=("easy", "hard")[at % 3 == 0], gold=gold)
        for at in range(300)
    ]
    parquet.write(tmp_path / "benchmarks" / "made" / "questions.parquet", Question, asked)
    write_json(tmp_path / "benchmarks" / "made" / "benchmark.json", {"name": "made"})
    labels = (("full", 0.8, 1), ("random(size=5)", 0.5, 2), ("similarity", 0.75, 3))
    first = [score for label, skill, seed in labels for score in scored("one", label, skill, seed)]
    second = list(scored("two", "full", 0.7, 4, questions=range(60, 300)))
    return {"one": write(tmp_path, "one", first), "two": write(tmp_path, "two", second, "2")}


def values(scores: list[Score], linker: str, metric: str) -> dict[str, tuple[str, float]]:
    found = (score for score in scores if score.linker == linker and score.metric == metric)
    return {score.question: (score.database, score.value) for score in found if score.value is not None}


def compared(cli: Cli, *words: str) -> dict[str, Any]:
    done = cli("compare", *words, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_two_runs_are_compared_on_the_questions_that_both_have(runs: dict[str, list[Score]], cli: Cli) -> None:
    report = compared(cli, "one", "two", "--flips", "1000")
    assert [row["metric"] for row in report["comparisons"]] == ["recall", "precision", "strict_recall", "kept"]
    for row in report["comparisons"]:
        a, b = (values(runs[run], "full", row["metric"]) for run in ("one", "two"))
        both = sorted(a.keys() & b.keys())
        assert row["pairs"] == len(both) == (162 if row["metric"] == "precision" else 180)
        assert row["a"] == pytest.approx(np.mean([a[name][1] for name in both]))
        assert row["b"] == pytest.approx(np.mean([b[name][1] for name in both]))
        totals = [sum(b[name][1] - a[name][1] for name in both if a[name][0] == each) for each in DATABASES]
        counts = [sum(a[name][0] == each for name in both) for each in DATABASES]
        low, high, p = sign_flip(totals, counts)
        assert (row["low"], row["high"], row["p"]) == pytest.approx((low, high, p))
        assert (row["cluster"], row["clusters"]) == ("database", 12)
        lost = [name for name in both if (a[name][1], b[name][1]) == (1, 0)]
        if row["metric"] == "strict_recall":
            assert sorted(row["only_a"]) == lost
            assert (row["lost"], row["gained"]) == (len(lost), len(row["only_b"]))
            assert row["mcnemar"] == pytest.approx(mcnemar(row["gained"], row["lost"]))
    adjusted = multipletests([row["p"] for row in report["comparisons"]], method="holm")[1]
    assert [row["holm"] for row in report["comparisons"]] == pytest.approx(list(adjusted))
    assert report["cautions"] == [
        "made, entity: 180 questions are compared; left out are 60 that only one:full has"
        " and 60 that only two:full has",
        "made was read from other files or corrections in two than in one: golds may differ",
    ]


def test_linkers_of_one_run_all_pairs_or_against_a_baseline(runs: dict[str, list[Score]], cli: Cli) -> None:
    def sides(*words: str) -> list[tuple[str, str]]:
        found = compared(cli, *words, "--metrics", "recall")["comparisons"]
        return [(row["linker_a"], row["linker_b"]) for row in found]

    three = ("full", "random(size=5)", "similarity")
    assert sides("one") == [three[:2], (three[0], three[2]), three[1:]]
    assert sides("one", "--linkers", "similarity, random( size = 5 )") == [("similarity", "random(size=5)")]
    assert sides("one:random(size=5)", "one:full") == [("random(size=5)", "full")]
    assert sides("one", "--baseline", "random(size=5)") == [(three[1], three[0]), (three[1], three[2])]
    assert sides("one", "two:full", "--baseline", "two") == [("full", each) for each in three]


def test_slices_are_compared_apart_and_corrected_together(runs: dict[str, list[Score]], cli: Cli) -> None:
    found = compared(cli, "one", "--linkers", "full,similarity", "--metrics", "recall", "--by", "difficulty")
    easy, hard = found["comparisons"]
    assert [(row["slice"], row["pairs"]) for row in (easy, hard)] == [("easy", 160), ("hard", 80)]
    assert [easy["holm"], hard["holm"]] == pytest.approx(holm([easy["p"], hard["p"]]))
    by_database = compared(cli, "one", "--linkers", "full,similarity", "--metrics", "recall", "--by", "database")
    assert {(row["pairs"], row["cluster"], row["clusters"]) for row in by_database["comparisons"]} == {
        (20, "question", 20)
    }
    assert by_database["cautions"][0] == "made, db0: one database only, so that questions are taken as independent"


def test_tables_markdown_and_csv(runs: dict[str, list[Score]], cli: Cli) -> None:
    words = ("compare", "one", "two", "--metrics", "strict_recall,kept", "--flips", "2")
    table, markdown, lines = (cli(*words, "--format", form).stdout for form in ("table", "markdown", "csv"))
    for told in ("A = one (full), B = two (full)", "Holm: adjusted for the 2 comparisons shown", "one (full) only: q"):
        assert told in table
    assert markdown.splitlines()[0] == "**tables (entity level), made: A = one (full), B = two (full)**"
    assert sum(line.startswith("| ") for line in markdown.splitlines()) == 4
    strict, kept = csv.DictReader(io.StringIO(lines))
    assert len(strict["only_a"].split()) == 2
    assert (kept["gained"], kept["only_a"], kept["metric"]) == ("", "", "kept")
    assert f"{100 * float(strict['a']):.2f}" in table
    assert f"{float(kept['a']):.2f}" in table
    assert "only: q" not in cli(*words[:-1], "0").stdout


def test_the_same_answers_differ_in_nothing(runs: dict[str, list[Score]], tmp_path: Path, cli: Cli) -> None:
    write(tmp_path, "again", runs["two"], "2")
    (row,) = compared(cli, "two", "again", "--metrics", "strict_recall")["comparisons"]
    assert (row["difference"], row["low"], row["high"], row["p"]) == (0, 0, 0, 1)
    assert (row["gained"], row["lost"], row["mcnemar"], row["detectable"]) == (0, 0, 1, None)


def test_brackets_and_colons_of_names_are_printed_as_they_are(cli: Cli, tmp_path: Path) -> None:
    for run, skill in (("a [x]", 0.8), (":fire:", 0.5)):
        write(tmp_path, run, list(scored(run, "full", skill, 1)))
    assert "A = a [x] (full), B = :fire: (full)" in cli("compare", "a [x]", ":fire:").stdout
    assert {"a [x]", ":fire:"} <= set(re.findall(r"a \[x]|:fire:", cli("leaderboard").stdout))


def test_words_may_stand_on_both_sides_of_options(runs: dict[str, list[Score]], cli: Cli) -> None:
    apart = cli("compare", "one", "--flips", "0", "two")
    assert (apart.returncode, apart.stdout) == (0, cli("compare", "one", "two", "--flips", "0").stdout)
    pruned = cli("runs", "prune", "--status", "done", "one", "--keep", "1", "tow")
    assert (pruned.returncode, "unknown run 'tow'" in pruned.stderr) == (2, True)
    assert "unrecognized arguments: --yse" in cli("runs", "prune", "one", "--yse").stderr
    assert "unrecognized arguments: else" in cli("sweep", "plan", "x.toml", "--format", "csv", "else").stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["one", "tow"], "unknown run 'tow'; did you mean 'two'? there are: one, two"),
        (["one:ful", "two"], "unknown linker of run 'one' 'ful'; did you mean 'full'?"),
        (["one", "--linkers", "full, similarty"], "did you mean 'similarity'?"),
        (["two"], "there is only two:full to compare"),
        (["one", "--metrics", "recal"], "unknown metric 'recal'; did you mean 'recall'?"),
        (["one", "--baseline", "ful"], "unknown baseline 'ful'; did you mean 'full'?"),
        (["one", "two", "--level", "query"], "share no scored question (no scores at these levels)"),
        (["one", "--linkers", "full, random(size=5"], "a parenthesis is not closed"),
    ],
)
def test_mistakes_are_one_line(runs: dict[str, list[Score]], cli: Cli, words: list[str], told: str) -> None:
    done = cli("compare", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


ALL = {"a": ["full", "random"], "b": ["full", "random"], "c": ["similarity"], "d": ["full"]}


def pairs(*words: str, linkers: tuple[str, ...] = (), baseline: str = "") -> list[str]:
    return [f"{a} {b}" for a, b in chosen(named(words, list(ALL)), ALL, linkers, baseline)]


def test_runs_are_compared_linker_by_linker_where_they_share_some() -> None:
    assert pairs("a", "b") == ["a:full b:full", "a:random b:random"]
    assert pairs("a", "b", linkers=("random",)) == ["a:random b:random"]
    assert pairs("a", "b", "d", baseline="b") == ["b:full a:full", "b:full d:full", "b:random a:random"]
    assert pairs("a", "d") == ["a:full d:full"]
    assert pairs("c", "d") == ["c:similarity d:full"]
    assert pairs("a", "b", baseline="a:full") == ["a:full a:random", "a:full b:full", "a:full b:random"]
    assert pairs("a:full", "c") == ["a:full c:similarity"]
    with pytest.raises(UserError, match="share no linker: name what to compare as RUN:LABEL, of a:full; a:random; c:"):
        pairs("a", "c")
    with pytest.raises(UserError, match="baseline 'full' is several: a:full, b:full"):
        pairs("a", "b", linkers=("full",), baseline="full")


def test_a_run_name_may_hold_a_colon() -> None:
    assert named(["x:y", "x:full"], ["x:y", "x"]) == [("x:y", ""), ("x", "full")]
    assert named(["x:y:full", "x:z"], ["x", "x:y"]) == [("x:y", "full"), ("x", "z")]
    assert str(Side("x", "f > g")) == "x:f > g"
