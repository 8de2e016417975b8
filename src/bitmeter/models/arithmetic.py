"""Ways in which a network's logits become log-probabilities.

Ours is accurate to some 1e-8 nats. Other tools use functions of torch that sum exponentials in the type of the logits,
which on a processor errs by 1e-5 to 1e-4 nats per token for a vocabulary of 50,000. A convention names the way of its
tool; a model that has logits can follow it.
"""

from __future__ import annotations

__all__ = ["ARITHMETICS", "OWN"]

OWN = "own"
#: For each way what it is, as the signature has it behind the precision.
ARITHMETICS = {
    OWN: "",
    "log-softmax": "log_softmax in the type of the logits",
    "log-softmax-single": "log_softmax in float32",
    "log-softmax-columns": "log_softmax along columns, in the type of the logits",
    "softmax": "the logarithm of softmax in the type of the logits",
}
