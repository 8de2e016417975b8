"""GGUF files, as llama.cpp uses them: read by transformers, their weights dequantised, or run by llama.cpp itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bitmeter._util.check import choice
from bitmeter._util.optional import is_absent, require
from bitmeter.errors import MissingSourceError, ModelError
from bitmeter.models.causal.base import Causal
from bitmeter.models.causal.gguf.header import Header, read_header
from bitmeter.models.causal.hf.model import HuggingFace, options_of
from bitmeter.models.scheme import Scheme

__all__: list[str] = []

ENGINES = ("llama.cpp", "transformers")
_USAGE = "gguf needs a file, and options behind commas: gguf:model.gguf, gguf:model.gguf,engine=transformers"


def _load(rest: str) -> Causal:
    place, options = options_of(rest, ("engine", "attention"))
    if not place or "gguf_file" in options:
        raise ModelError(_USAGE, value=rest)
    engine = choice(options.pop("engine", None) or _usual_engine(), "engine", ENGINES)
    path = Path(place)
    if not path.is_file():
        message = f"there is no file {place}; gguf:FILE takes a model of llama.cpp, which ends in .gguf"
        raise MissingSourceError(message, path=place)
    header = read_header(path)
    if engine == "llama.cpp":
        from bitmeter.models.causal.gguf.llama import LlamaCpp

        return LlamaCpp(path, header, **options)
    if "attention" in options:
        message = "attention= is an option of engine=llama.cpp; for transformers, dtype= says it"
        raise ModelError(message, value=options["attention"])
    return _by_transformers(path, header, options)


def _usual_engine() -> str:
    """llama.cpp where it is installed: it keeps the weights small, and its figures are those that others print."""
    return "transformers" if is_absent("llama_cpp") else "llama.cpp"


def _by_transformers(path: Path, header: Header, options: dict[str, Any]) -> HuggingFace:
    require("accelerate", "Reading a GGUF file through transformers")
    made = HuggingFace(str(path.parent), gguf_file=path.name, **options)
    made.name = f"gguf:{path.name}"
    made.llama_adds_bos = made.bos_id is not None and _adds_bos(header.values)
    if header.kind != "f32":
        made.precision = f"{header.kind} dequantised to {made.precision}"
        made.caveats += (
            "the weights were dequantised: llama.cpp's own arithmetic, in which they stay small, differs a little",
        )
    cutting = header.values.get("tokenizer.ggml.pre", "default")
    if header.values.get("tokenizer.ggml.model") == "gpt2" and cutting not in _CUT_ALIKE:
        made.caveats += (
            f"the file says that texts are cut as by {cutting!r:.40}, for which transformers may have no rule: its "
            "tokens may not be llama.cpp's (engine=llama.cpp)",
        )
    return made


#: Ways to cut a text before pairs are merged for which transformers 5 has the rule, or GPT-2's is the rule.
_CUT_ALIKE = frozenset(
    ("default", "gpt-2", "smollm", "llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0",
     "lfm2", "jina-v5-nano", "dbrx", "smaug-bpe", "tekken", "qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "megrez",
     "qwen35", "gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2")
)  # fmt: skip


#: Tokenizers before whose texts llama.cpp puts BOS where the file does not say.
_BOS_KINDS = frozenset(
    ("llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano", "tekken",
     "chameleon")
)  # fmt: skip


def _adds_bos(values: dict[str, Any]) -> bool:
    """Whether llama.cpp would put BOS before a text."""
    usual = values.get("tokenizer.ggml.model") == "llama" or values.get("tokenizer.ggml.pre") in _BOS_KINDS
    return bool(values.get("tokenizer.ggml.add_bos_token", usual))


SCHEMES = (
    Scheme(
        "gguf",
        "gguf:FILE",
        "a model of llama.cpp, by it or by transformers",
        _load,
        "gguf",
    ),
)
