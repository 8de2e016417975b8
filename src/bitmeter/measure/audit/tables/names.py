"""The names by which columns of a table are known."""

from __future__ import annotations

__all__ = ["ROLES", "UNITS", "VALUES"]

#: What a column can be, and the names by which it is known; the first that is there is taken.
ROLES = {
    "doc": ("doc", "document", "doc_id", "document_id", "doc_index"),
    "start": ("start", "byte_start", "start_byte", "begin"),
    "end": ("end", "byte_end", "end_byte", "stop"),
    "id": ("id", "token_id", "ids", "token_ids", "input_ids"),
    "piece": ("piece", "pieces", "unit", "token", "tokens", "token_str", "text"),
    "bytes": ("n_bytes", "nbytes", "num_bytes", "byte_count", "byte_length", "bytes"),
    "scored": ("scored", "loss_mask", "mask"),
    "row": ("row", "rows", "logits", "full_logprobs", "probs"),
    "top": ("top", "top_k", "topk", "top_logprobs", "alternatives"),
}
#: Names of the column of costs: the unit, and whether it is a logarithm of p (negative) or a cost (positive).
VALUES = {
    "logprob": ("nats", False),
    "logprobs": ("nats", False),
    "log_prob": ("nats", False),
    "log_probs": ("nats", False),
    "logp": ("nats", False),
    "lp": ("nats", False),
    "token_logprobs": ("nats", False),
    "nats": ("nats", True),
    "nll": ("nats", True),
    "loss": ("nats", True),
    "losses": ("nats", True),
    "bits": ("bits", True),
    "log10": ("log10", False),
    "log10_prob": ("log10", False),
    "prob": ("prob", False),
}
UNITS = ("nats", "bits", "log10", "prob")
