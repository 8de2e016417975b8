"""What answers share goes through a network once, and changes no figure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.models.causal.hf.families import Family, families, laid_out
from bitmeter.models.causal.hf.rows import Row

torch = pytest.importorskip("torch")


def test_neighbours_with_one_context_are_a_family() -> None:
    context = np.arange(30)
    inputs = [np.append(context, [1, 2]), np.append(context, [3]), context.copy(), np.append(context + 1, [1])]
    assert families(inputs, [30] * 4, 100) == [Family((0, 1, 2), 30), Family((3,))]
    assert families(inputs, [30] * 4, 32) == [Family((0,)), Family((1, 2), 30), Family((3,))]  # 33 would be too long
    # BOS alone is no context, and what is scored from another token on has another one.
    assert families(inputs, [1] * 4, 100) == [Family((number,)) for number in range(4)]
    assert families(inputs, [30, 29, 30, 30], 100)[0] == Family((0,))


def test_a_layout_keeps_positions_and_says_what_is_seen() -> None:
    inputs = [np.array([5, 6, 7, 8]), np.array([5, 6]), np.array([5, 6, 9]), np.array([1, 2])]
    layout = laid_out([Row((0, 1), (0, 5), 7)], [Family((0, 1, 2), 2), Family((3,))], inputs)
    assert layout.ids.tolist() == [[5, 6, 7, 8, 9, 1, 2]]
    assert layout.positions.tolist() == [[0, 1, 2, 3, 2, 0, 1]]
    assert layout.trunks == {(0, 2): (0, 2), (0, 4): (0, 2)}
    assert [(place.member, place.first, place.end) for place in layout.places] == [
        (0, 2, 4), (1, 4, 4), (2, 4, 5), (3, 5, 7),
    ]  # fmt: skip


@pytest.fixture(params=["LlamaForCausalLM", "GPT2LMHeadModel", "BloomForCausalLM"])
def network(request: pytest.FixtureRequest) -> Any:
    import transformers

    torch.manual_seed(1)
    kind = getattr(transformers, request.param)
    sizes = {"vocab_size": 97, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = {"intermediate_size": 48, "num_key_value_heads": 2, "max_position_embeddings": 256}
    made = kind(
        kind.config_class(**sizes, **(config if request.param.startswith("Llama") else {}), initializer_range=0.3)
    )
    return made.double().eval()


def test_shared_contexts_change_no_figure(network: Any) -> None:
    """Against the network itself, one sequence after the other, in float64."""
    from bitmeter.models.causal.hf.scorer import Scorer

    draw = np.random.default_rng(5)
    sequences, firsts = [], []
    for size in (40, 18, 70):
        context = draw.integers(0, 97, size)
        for answer in (1, 6, 1, 3):
            sequences.append(np.concatenate((context, draw.integers(0, 97, answer))))
            firsts.append(size)
    scorer = Scorer(network, row=128, batch=256)
    seen: list[int] = []
    hook = network.get_input_embeddings().register_forward_hook(lambda _m, given, _out: seen.append(given[0].numel()))
    found = scorer.logprobs(sequences, firsts)
    hook.remove()
    for ids, first, values in zip(sequences, firsts, found, strict=True):
        with torch.inference_mode():
            logits = network(torch.from_numpy(ids[None]), use_cache=False).logits[0].double()
        logs = logits.log_softmax(-1)[first - 1 : -1]
        truth = logs.gather(1, torch.from_numpy(ids[first:])[:, None])[:, 0].numpy()
        np.testing.assert_allclose(values, truth, atol=1e-9)
    whole = sum(len(ids) - 1 for ids in sequences)
    # A bias for distance is put into the mask by places in the row: such a network shares nothing.
    assert scorer.forks == (type(network).__name__ != "BloomForCausalLM")
    assert sum(seen) < whole / 2 if scorer.forks else sum(seen) >= whole


def test_figures_of_float32_do_not_depend_on_neighbours() -> None:
    """Alone, beside others and with a shared beginning: the same but for rounding, and the context goes through once.

    Attention is always in whole blocks, else the last block of a context would round by the length of the call: by up
    to 1.1e-5 nats per token in a network of thirty layers.
    """
    from torch.overrides import TorchFunctionMode
    from transformers import LlamaConfig, LlamaForCausalLM

    from bitmeter.models.causal.hf.scorer import Scorer

    torch.manual_seed(3)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2}
    network = LlamaForCausalLM(LlamaConfig(vocab_size=50, initializer_range=0.3, **sizes)).eval()
    scorer = Scorer(network, row=256, batch=256)
    assert (scorer.cuts, scorer.forks) == (True, True)
    lengths: set[int] = set()
    seen: list[int] = []
    attention = torch.nn.functional.scaled_dot_product_attention

    class Watch(TorchFunctionMode):  # type: ignore[misc]  # torch has no types here
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func is attention:
                lengths.add(args[0].shape[2])
            return func(*args, **(kwargs or {}))

    draw = np.random.default_rng(5)
    context = draw.integers(0, 50, 62)
    sequences = [np.concatenate((context, draw.integers(0, 50, size))) for size in (1, 2, 5, 9)]
    hook = network.get_input_embeddings().register_forward_hook(lambda _m, given, _out: seen.append(given[0].numel()))
    with Watch():
        together = scorer.logprobs(sequences, [62] * 4)
        shared = sum(seen)
        alone = [scorer.logprobs([ids], [62])[0] for ids in sequences]
    hook.remove()
    assert shared == 62 + 0 + 1 + 4 + 8
    assert lengths == {64, 128}
    np.testing.assert_allclose(np.concatenate(together), np.concatenate(alone), atol=2e-5)


def test_choices_with_one_context_cost_what_each_costs_alone(tmp_path: Any) -> None:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    letters = {letter: number for number, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    backend = Tokenizer(models.BPE(vocab={**letters, "<s>": 256}, merges=[]))
    backend.pre_tokenizer, backend.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=backend, bos_token="<s>").save_pretrained(tmp_path)
    torch.manual_seed(2)
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = LlamaConfig(vocab_size=257, max_position_embeddings=256, bos_token_id=256, initializer_range=0.3, **sizes)
    LlamaForCausalLM(config).save_pretrained(tmp_path)
    model = bm.HuggingFace(str(tmp_path), dtype="float64")
    answers = [" two", " four", " a", " b"]
    together = bm.choose(model, [{"question": "how many are two and two? " * 2, "choices": answers, "label": 1}])
    for number, answer in enumerate(answers):
        # With another answer, whose context differs, so that nothing is shared.
        rows = [{"question": "how many are two and two? " * 2, "text": answer}]
        assert bm.score(model, bm.Corpus.from_records(rows, field="text"), given="question").nats == pytest.approx(
            together.nats[number], abs=1e-9
        )
