"""Networks: the loss is torch's cross-entropy."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch.nn import functional

from bitmeter.models.causal.trained.network import Shape, build
from bitmeter.models.causal.trained.scorer import NetworkScorer

KINDS = ("lstm", "transformer")


@pytest.mark.parametrize("kind", KINDS)
def test_loss_is_torchs_cross_entropy_and_the_negative_log_likelihood(kind: str) -> None:
    torch.manual_seed(5)
    network = build(Shape(kind, 30, 16, 2, 10, 0.0)).double().eval()
    ids = torch.randint(0, 30, (3, 11))
    with torch.inference_mode():
        loss, _ = network.loss(ids[:, :-1], ids[:, 1:])
        logits = network.logits(network.hidden(ids[:, :-1], None)[0])
    # torch's own loss, and by hand: the one-hot target against the softmax
    torchs = functional.cross_entropy(logits.reshape(-1, 30), ids[:, 1:].reshape(-1))
    assert float(loss) == pytest.approx(float(torchs), rel=1e-12)
    one_hot = functional.one_hot(ids[:, 1:], 30).double()
    by_hand = -(one_hot * torch.log_softmax(logits, -1)).sum(-1).mean()
    assert float(loss) == pytest.approx(float(by_hand), rel=1e-12)
    rows = NetworkScorer(network).logprobs(list(ids.numpy()), [1] * 3)
    likelihood = -np.concatenate(rows).mean()
    assert float(loss) == pytest.approx(likelihood, rel=1e-12)
    # perplexity is its exponential: the geometric mean of 1/p
    assert math.exp(float(loss)) == pytest.approx(np.exp(-np.concatenate(rows)).prod() ** (1 / 30), rel=1e-9)


@pytest.mark.parametrize(
    ("kind", "previous", "recency"),
    [("lstm", 0, 0), ("transformer", 0, 0), ("transformer", 1, 0), ("transformer", 1, 1)],
)
def test_a_text_in_parts_is_a_text_at_once(kind: str, previous: int, recency: int) -> None:
    torch.manual_seed(5)
    network = build(Shape(kind, 30, 16, 2, 12, 0.0, previous=previous, recency=recency)).double().eval()
    ids = torch.randint(0, 30, (3, 12))
    with torch.inference_mode():
        whole, _ = network.hidden(ids, None)
        state, parts = None, []
        for part in ids.split((1, 5, 2, 4), dim=1):
            found, state = network.hidden(part, state)
            parts.append(found)
    torch.testing.assert_close(torch.cat(parts, dim=1), whole)


def test_attention_falls_by_a_power_of_two_with_each_token() -> None:
    """With queries of zero, the weights of attention are exp(-slope · distance), and sum up to one."""
    network = build(Shape("transformer", 30, 128, 1, 6, 0.0, recency=1)).double().eval()
    assert network.slopes == [0.5, 0.125, 1 / 32, 1 / 128]
    block = network.blocks[0]
    block.attend.weight.data[:128] = 0.0
    block.attended.weight.data = torch.eye(128).double()
    seen: list[torch.Tensor] = []
    block.attended.register_forward_hook(lambda _layer, given, _out: seen.append(given[0]))
    ids = torch.tensor([[3, 4, 5, 6]])
    with torch.inference_mode():
        network.hidden(ids, None)
        values = block.attend(block.first(network.embedding(ids)))[0, :, 256:]
    for head, slope in enumerate(network.slopes):
        weights = torch.exp(-slope * torch.arange(3, -1, -1).double())
        part = slice(32 * head, 32 * head + 32)
        expected = (weights[:, None] * values[:, part]).sum(0) / weights.sum()
        torch.testing.assert_close(seen[0][0, 3, part], expected)


def test_the_token_before_makes_a_difference() -> None:
    network = build(Shape("transformer", 30, 16, 1, 12, 0.0, previous=1)).eval()
    assert network.before is not None
    ids = torch.tensor([[3, 4, 5]])
    with torch.inference_mode():
        seen, _ = network.hidden(ids, None)
        network.before.weight[3] += 1.0  # stands before the first, which is itself, and before the second
        other, _ = network.hidden(ids, None)
    assert not torch.equal(seen[:, 1], other[:, 1])


def test_the_network_of_the_tour_has_torchs_loss_and_slope() -> None:
    """The lesson trains with numpy alone: its loss and its steps are those of torch, which it quotes once."""
    quoted = functional.cross_entropy(torch.tensor([[2.0, 1.0, 0.5, -1.0]]), torch.tensor([1]))
    assert f"{quoted.item():.4f}" == "1.4952"
    text = "how much wood would a woodchuck chuck if a woodchuck could "
    letters = sorted(set(text))
    ids = np.array([letters.index(letter) for letter in text])
    x, y = ids[:-1], ids[1:]
    by_hand, table = np.zeros((len(letters),) * 2), torch.zeros((len(letters),) * 2, dtype=torch.float64)
    table.requires_grad_()
    for _ in range(30):
        powers = np.exp(by_hand[x])
        slope = powers / powers.sum(axis=1, keepdims=True)
        ours = -np.log(slope[np.arange(len(y)), y]).mean()
        slope[np.arange(len(y)), y] -= 1
        np.add.at(by_hand, x, -10 * slope / len(y))
        loss = functional.cross_entropy(table[torch.from_numpy(x)], torch.from_numpy(y))
        assert ours == pytest.approx(loss.item(), rel=1e-12)
        (found,) = torch.autograd.grad(loss, table)
        table.data -= 10 * found
    np.testing.assert_allclose(by_hand, table.detach().numpy(), atol=1e-12)
