"""A BERT encoder of sentences without padding, its weights laid out once for the processor (oneDNN).

What a library computes in three times the time for one short question: there every weight is laid out anew for every
text, and texts of a batch are padded to the longest.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

TOKENS = 256
PROBE = ["unit price of the order", "id"]
WITHIN = 1e-5


class Layer(NamedTuple):
    """One layer: queries, keys and values at once, what joins the heads, the feed-forward's two, and both norms."""

    mixed: tuple[Any, Any]
    joined: tuple[Any, Any]
    wide: tuple[Any, Any]
    narrow: tuple[Any, Any]
    norms: tuple[Any, Any]


class PackedBert:
    """A sentence-transformers model of BERT, mean pooling and unit length; raises where a model has other parts."""

    def __init__(self, model: Any) -> None:
        import torch

        bert = model[0].auto_model
        if [type(part).__name__ for part in model] != ["Transformer", "Pooling", "Normalize"]:
            raise AttributeError("not a transformer, a pooling and a norm")
        self.tokenizer, self.longest = model.tokenizer, model.max_seq_length
        self.heads = bert.config.num_attention_heads
        parts = bert.embeddings
        with torch.inference_mode():
            self.words = parts.word_embeddings.weight
            self.places = parts.position_embeddings.weight + parts.token_type_embeddings.weight[0]
            self.norm = parts.LayerNorm
            self.layers = [_layer(layer) for layer in bert.encoder.layer]

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts as rows of unit length, those of like length together, a few hundred tokens at a time."""
        import torch

        tokens = self.tokenizer(list(texts), truncation=True, max_length=self.longest, return_attention_mask=False)
        rows = np.empty((len(texts), self.words.shape[1]), np.float32)
        with torch.inference_mode():
            for places in _batches([len(one) for one in tokens["input_ids"]]):
                rows[places] = self._forward([tokens["input_ids"][at] for at in places]).numpy()
        return rows

    def _forward(self, texts: list[list[int]]) -> Any:
        """Rows of texts in rising length: layers see all tokens in one line, attention the runs of equal length."""
        import torch
        from torch.nn.functional import normalize

        runs = [(length, len(list(run))) for length, run in groupby(map(len, texts))]
        ids = torch.tensor([token for text in texts for token in text])
        places = torch.tensor([place for text in texts for place in range(len(text))])
        hidden = self.norm(self.words[ids] + self.places[places])
        for layer in self.layers:
            mixed = _linear(hidden, layer.mixed).view(len(ids), 3, self.heads, -1)
            hidden = layer.norms[0](hidden + _linear(_attended(mixed, runs), layer.joined))
            hidden = layer.norms[1](hidden + _linear(_linear(hidden, layer.wide, "gelu"), layer.narrow))
        parts = hidden.split([length * count for length, count in runs])
        means = [part.view(count, length, -1).mean(1) for part, (length, count) in zip(parts, runs, strict=True)]
        return normalize(torch.cat(means))


def packed(model: Any) -> PackedBert | None:
    """The faster encoder of a model, where it has that form and gives the same rows; else None."""
    try:
        faster = PackedBert(model)
        same = np.abs(faster.encode(PROBE) - model.encode(PROBE, show_progress_bar=False)).max() < WITHIN
    except (AttributeError, RuntimeError, ValueError):
        return None
    return faster if same else None


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Positions of texts in rising length, cut where a batch would have too many tokens."""
    batch: list[int] = []
    total = 0
    for at in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and total + lengths[at] > TOKENS:
            yield batch
            batch, total = [], 0
        batch.append(at)
        total += lengths[at]
    if batch:
        yield batch


def _layer(layer: Any) -> Layer:
    import torch

    own, rest = layer.attention.self, layer.attention.output
    parts = (own.query, own.key, own.value)
    weights, biases = torch.cat([part.weight for part in parts]), torch.cat([part.bias for part in parts])
    return Layer(
        _laid_out(weights, biases),
        _laid_out(rest.dense.weight, rest.dense.bias),
        _laid_out(layer.intermediate.dense.weight, layer.intermediate.dense.bias),
        _laid_out(layer.output.dense.weight, layer.output.dense.bias),
        (rest.LayerNorm, layer.output.LayerNorm),
    )


def _laid_out(weight: Any, bias: Any) -> tuple[Any, Any]:
    import torch

    return torch.ops.mkldnn._reorder_linear_weight(weight, 16), bias


def _linear(rows: Any, layer: tuple[Any, Any], then: str = "none") -> Any:
    import torch

    return torch.ops.mkldnn._linear_pointwise(rows, *layer, then, [], "none" if then == "gelu" else "")


def _attended(mixed: Any, runs: Sequence[tuple[int, int]]) -> Any:
    """What attention makes of queries, keys and values (tokens, 3, heads, width), run by run."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    made = []
    for part, (length, count) in zip(mixed.split([length * count for length, count in runs]), runs, strict=True):
        queries, keys, values = part.view(count, length, *part.shape[1:]).permute(2, 0, 3, 1, 4)
        made.append(scaled_dot_product_attention(queries, keys, values).transpose(1, 2).reshape(len(part), -1))
    return torch.cat(made)
