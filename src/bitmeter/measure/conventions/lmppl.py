"""lmppl: `lmppl.LM.get_perplexity`."""

from __future__ import annotations

from bitmeter.measure.conventions.base import Convention, mean_of_perplexities

CONVENTION = Convention(
    name="lmppl",
    settings={"docs": "record", "first": "skip"},
    statements=(
        "The perplexity of each text by itself.",
        "The first token is not scored if the tokenizer adds no BOS.",
        "Cross-entropy in the model's type: on a processor, float32 errs by some 2e-5 nats per token.",
    ),
    figures=mean_of_perplexities,
    arithmetic="log-softmax",
)
