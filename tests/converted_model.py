"""Convert a GGUF file to a folder of safetensors, run by an interpreter that has transformers: FILE FOLDER."""

import sys
from pathlib import Path


def convert(file: str, folder: str) -> None:
    """Write tokenizer and weights in bfloat16, without the GGUF's quantization."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    source, name = str(Path(file).parent), Path(file).name
    AutoTokenizer.from_pretrained(source, gguf_file=name).save_pretrained(folder)
    plain = GgufConfig(dequantize=True)
    model = AutoModelForCausalLM.from_pretrained(
        source, gguf_file=name, quantization_config=plain, dtype=torch.bfloat16
    )
    vars(model.config).pop("quantization_config", None)
    model.save_pretrained(folder)


if __name__ == "__main__":
    convert(*sys.argv[1:])
