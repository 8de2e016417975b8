"""Neural models: our scoring beside lm-eval, minicons, lmppl, the transformers manual's loop and a bare forward pass.

Ours is with float32 weights, and with bfloat16 and int8, which round: they are no rows of the goals.

Each runs in a process of its own, on one thread. Printed are tokens per CPU second (without loading), the peak memory
of the process, and the largest difference from a plain loop in nats per token, over documents.

    python benchmarks/neural.py MODEL_FOLDER TEXT [--docs 40] [--only ours,bare]

Each line of TEXT is a document. Peers that are not installed are listed as such. Goals are against the best of the
peers at their best batch, and against each with a batch of 16.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from goals import Goal, show_goals
from stopwatch import header

BATCHES = (1, 16)
#: Ways that are not of a peer.
OWN = ("plain", "ours", "bfloat16", "int8", "bare")


def documents(path: str, number: int) -> list[str]:
    """The first non-empty lines."""
    lines = [line.strip() for line in Path(path).read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line][:number]


def load(folder: str) -> tuple[Any, Any]:
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    return tokenizer, network.eval()


#: A way to score: prepared first, then timed; it gives the nats of each document, and whether the first token is in.
Prepared = Callable[[], list[float]]


def ours(folder: str, texts: list[str], batch: int, dtype: str = "float32") -> tuple[Prepared, str]:
    import bitmeter as bm

    model = bm.HuggingFace(folder, threads=1, dtype=dtype)
    corpus = bm.Corpus.from_documents(texts)

    def run() -> list[float]:
        found = bm.score(model, corpus).by_document
        assert found is not None
        return [float(value) for value in found.nats]

    _ = model.weights_fingerprint  # computed once per model, like loading
    return run, "bos"


def plain(folder: str, texts: list[str], batch: int) -> tuple[Prepared, str]:
    """The reference: each document alone, normalised in float64; behind BOS, or without it where the batch is 0."""
    import torch

    tokenizer, network = load(folder)

    def run() -> list[float]:
        found = []
        for text in texts:
            lead = [tokenizer.bos_token_id] if batch else []
            ids = torch.tensor([lead + tokenizer(text, add_special_tokens=False)["input_ids"]])
            with torch.inference_mode():
                logs = network(ids).logits[0, :-1].double().log_softmax(-1)
            own = -logs.gather(1, ids[0, 1:, None])[:, 0]
            found.append(float(own.sum()))
        return found

    return run, "bos" if batch else "skip"


def bare(folder: str, texts: list[str], batch: int) -> tuple[Prepared, str]:
    """The same packed rows through the network, attention cut as ours, to its own logits: nothing done with them."""
    import bitmeter as bm
    from bitmeter.models.causal.hf.rows import packed_rows

    model = bm.HuggingFace(folder, threads=1)
    rater = model._scorer
    inputs = [np.array([model.bos_id, *model.units.split(text.encode()).ids])[:-1] for text in texts]
    rows = packed_rows([len(ids) for ids in inputs], 512, longest=512)
    rater._shape_logits = None  # the network's own logits

    def run() -> list[float]:
        with rater._quiet():
            for row in rows:
                rater._group_states([row], inputs)
        return []

    return run, "none"


def lm_eval(folder: str, texts: list[str], batch: int) -> tuple[Prepared, str]:
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    model = HFLM(pretrained=folder, device="cpu", dtype="float32", batch_size=batch)
    requests = [
        Instance(request_type="loglikelihood_rolling", doc={}, arguments=(text,), idx=i) for i, text in enumerate(texts)
    ]
    return lambda: [-float(value) for value in model.loglikelihood_rolling(requests, disable_tqdm=True)], "bos"


def minicons(folder: str, texts: list[str], batch: int) -> tuple[Prepared, str]:
    from minicons import scorer

    model = scorer.IncrementalLMScorer(folder, "cpu")

    def run() -> list[float]:
        found: list[float] = []
        for at in range(0, len(texts), batch):
            values = model.sequence_score(texts[at : at + batch], reduction=lambda x: -x.sum(0).item())
            found += [float(value) for value in values]
        return found

    return run, "skip"


def lmppl(folder: str, texts: list[str], batch: int) -> tuple[Prepared, str]:
    import unittest.mock

    import lmppl
    import transformers

    loading = transformers.AutoModelForCausalLM.from_pretrained

    def without_token(*words: Any, use_auth_token: Any = None, **given: Any) -> Any:
        return loading(*words, **given)  # its use_auth_token is unknown to today's transformers

    with unittest.mock.patch.object(transformers.AutoModelForCausalLM, "from_pretrained", without_token):
        model = lmppl.LM(folder)
    tokens = [len(ids) - 1 for ids in model.tokenizer(texts)["input_ids"]]

    def run() -> list[float]:
        values = model.get_perplexity(texts, batch_size=batch)
        return [float(np.log(value)) * size for value, size in zip(values, tokens, strict=True)]

    return run, "skip"


def manual(folder: str, texts: list[str], batch: int) -> tuple[Prepared, str]:
    """The loop of the transformers manual, for documents that fit in one window: the network's own loss."""
    import torch

    tokenizer, network = load(folder)

    def run() -> list[float]:
        found = []
        for text in texts:
            ids = torch.tensor([tokenizer(text)["input_ids"]])
            with torch.no_grad():
                found.append(float(network(ids, labels=ids).loss) * (ids.shape[1] - 1))
        return found

    return run, "skip"


WAYS: dict[str, tuple[Callable[..., tuple[Prepared, str]], str, tuple[int, ...]]] = {
    "plain": (plain, "bitmeter", (1,)),
    "ours": (ours, "bitmeter", (1,)),
    "bfloat16": (functools.partial(ours, dtype="bfloat16"), "bitmeter", (1,)),
    "int8": (functools.partial(ours, dtype="int8"), "bitmeter", (1,)),
    "bare": (bare, "bitmeter", (1,)),
    "manual": (manual, "transformers", (1,)),
    "lm-eval": (lm_eval, "lm_eval", BATCHES),
    "minicons": (minicons, "minicons", BATCHES),
    "lmppl": (lmppl, "lmppl", BATCHES),
}


def worker(way: str, batch: int, folder: str, text: str, number: int) -> None:
    """In a process of its own: prepare, run once, print the result as JSON."""
    import torch

    torch.set_num_threads(1)
    texts = documents(text, number)
    run, first = WAYS[way][0](folder, texts, batch)
    began = time.process_time()
    nats = run()
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
    sizes = (
        [len(ids) for ids in load(folder)[0](texts, add_special_tokens=False)["input_ids"]] if way == "plain" else []
    )
    print("\n" + json.dumps({"nats": nats, "seconds": seconds, "peak": peak, "first": first, "sizes": sizes}))


def ask(way: str, batch: int, given: argparse.Namespace) -> dict[str, Any]:
    command = [
        sys.executable,
        __file__,
        given.model,
        given.text,
        "--docs",
        str(given.docs),
        "--worker",
        f"{way}:{batch}",
    ]
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **threads, "HF_HUB_OFFLINE": "1"}
    )
    if done.returncode:
        raise SystemExit(f"{way}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a folder that transformers can load")
    parser.add_argument("text", help="a text file; each line is a document")
    parser.add_argument("--docs", type=int, default=40, help="how many documents")
    parser.add_argument("--only", default="", help="ways, separated by commas")
    parser.add_argument("--worker", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        way, _, batch = given.worker.partition(":")
        worker(way, int(batch), given.model, given.text, given.docs)
        return
    print(header())
    truth = {first: ask("plain", batch, given) for first, batch in (("bos", 1), ("skip", 0))}
    sizes = truth["bos"]["sizes"]
    tokens = sum(sizes)
    print(f"{len(sizes)} documents, {tokens:,} tokens, one thread; a plain loop in float64 is the reference")
    print(f"{'':<14}{'batch':>6}{'tokens/CPU s':>14}{'peak MB':>9}{'most nats off':>15}")
    chosen = given.only.split(",") if given.only else list(WAYS)
    measured: dict[tuple[str, int], tuple[float, float]] = {}
    for way, (_, package, batches) in WAYS.items():
        if way not in chosen:
            continue
        if importlib.util.find_spec(package) is None:
            print(f"{way:<14} is not installed")
            continue
        for batch in batches:
            found = truth["bos"] if way == "plain" else ask(way, batch, given)
            off = "–"
            if found["nats"] and way != "plain":
                gaps = np.abs(np.array(found["nats"]) - np.array(truth[found["first"]]["nats"]))
                off = f"{np.max(gaps / np.array(sizes)):.1e}"
            measured[way, batch] = speed, peak = tokens / found["seconds"], found["peak"]
            print(f"{way:<14}{batch:>6}{speed:>14.1f}{peak:>9.0f}{off:>15}", flush=True)
    print()
    show_goals(goals(measured))


def goals(measured: dict[tuple[str, int], tuple[float, float]]) -> list[Goal]:
    """Tokens per CPU second and memory against the peers', as far as these were measured."""
    peers = {key: one for key, one in measured.items() if key[0] not in OWN}
    if ("ours", 1) not in measured or not peers:
        return []
    speed, peak = measured["ours", 1]
    found = [Goal("tokens per CPU second against the best peer", "≥", 1.3, speed / max(peers.values())[0])]
    for (way, batch), (theirs, most) in peers.items():
        if batch == BATCHES[-1]:
            found.append(Goal(f"… against {way} with a batch of {batch}", "≥", 3.5, speed / theirs))
            found.append(Goal(f"memory against {way} with a batch of {batch}", "≤", 1 / 3, peak / most))
    return found


if __name__ == "__main__":
    main()
