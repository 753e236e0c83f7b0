"""Build a tiny random Qwen2 with a byte-level BPE of its own, run by an interpreter that has transformers: FOLDER."""

import sys
from typing import Any

CORPUS = [
    "CREATE TABLE orchard (orchard_id INTEGER PRIMARY KEY, name TEXT, city TEXT, hectares REAL);",
    "CREATE TABLE harvest (harvest_id INTEGER, orchard_id INTEGER REFERENCES orchard(orchard_id), kilos REAL);",
    "Which tables does the question filter by, and which does it return columns of?",
    '{"sources": ["orchard"], "destinations": ["harvest"]}',
    "src=orchard, dst=harvest",
    "SELECT T1.name, COUNT(*) FROM orchard AS T1 JOIN harvest AS T2 ON T1.orchard_id = T2.orchard_id",
]
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>"]
TEMPLATE = """
{%- if tools %}<|im_start|>system
Tools: {{ tools | tojson }}<|im_end|>
{% endif %}
{%- for message in messages %}<|im_start|>{{ message.role }}
{{ message.content or '' }}
{%- for call in message.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>{% endfor %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


def tokenizer() -> Any:
    """A tokenizer of some hundred tokens that knows a little SQL."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bpe.train_from_iterator(
        CORPUS * 20, trainers.BpeTrainer(vocab_size=600, special_tokens=SPECIAL, initial_alphabet=alphabet)
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token="<|im_end|>", pad_token="<|endoftext|>", chat_template=TEMPLATE
    )


def build(folder: str) -> None:
    """Write tokenizer and weights, the same for the same seed."""
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    torch.manual_seed(7)
    words = tokenizer()
    words.save_pretrained(folder)
    config = Qwen2Config(
        vocab_size=len(words),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
    )
    Qwen2ForCausalLM(config).save_pretrained(folder)


if __name__ == "__main__":
    build(sys.argv[1])
