"""Records what perplexity filters say: their own code, with sentencepiece and kenlm, on a tiny model. See README.md.

    python make_figures.py PEERS BIN

PEERS is a folder with the repositories named in README.md, BIN the folder of KenLM's programs.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sentencepiece

HERE = Path(__file__).resolve().parent
PIECES = 300
#: White space becomes a space before splitting, as in the default rules, whose table alone has 240 kB.
SPACES = "\t\n\r\u00a0\u2009\u3000"

DOCUMENTS = [
    "To be, or not to be, that is the question.",
    "TO BE, OR NOT TO BE, THAT IS THE QUESTION.",
    "  Whether 'tis nobler\nin the mind\tto suffer\r\nthe slings and arrows…  ",
    "In 1603 the play was printed, on 64 pages, for 1.25 pounds; “2nd” in 1,604.75.",
    "Être ou ne pas être, voilà la question. École, naïve, ﬁn.",
    "Über allen Gipfeln ist Ruh — in allen Wipfeln spürest du.",
    "Быть или не быть, вот в чём вопрос. Ёлка 25 ноября.",
    "Μῆνιν ἄειδε θεά· ΟΔΥΣΣΕΥΣ, ΑΧΙΛΛΕΥΣ.",
    "生きるべきか、死ぬべきか。『１２３』（問題）！",
    "\u0008control\u0001 characters\u007f and \u0086more\u009f \u00a0 spaces\u3000here\u2009too\ufffc",
    "한국어 문장, หนึ่ง สอง, हिन्दी में, ١٢٣٤ عربى مُشَكَّل",
    "Istanbul İstanbul ǅ ẞ ﬀ ① Ⅷ ²³ ½ 𝟙𝟚𝟛 𝒜 😀 👩‍👩‍👧",
    "e\u0301e\u0323\u0302 \u1b05\u1b44\u1bab \U0001d15e\U0001d16d\U0001d165 \u2329x\u232a \u1ffd",
    "",
    " ",
    "\n",
    "x",
    "zzzzzzzzzzzz qqqqqqq \U0001f9ff\U0001f9ff 漢字",
    "The summer's day: " * 40,
    "Shall I compare thee to a summer's day?\n" * 25,
]


def stand_in(name: str, **names: Any) -> None:
    """A module that code imports and does not use here."""
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(names)


def loaded(name: str, path: Path) -> Any:
    """A file of a repository as a module."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def train(programs: Path) -> None:
    """The tiny pair of models, as CCNet's Makefile makes it: pieces, lmplz, build_binary without a type."""
    os.chdir(HERE)  # the model keeps the names that it was trained by
    text, rules = Path("train.txt"), Path("rules.tsv")
    rules.write_text("".join(f"{ord(space):X}\t20\n" for space in SPACES), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix="tiny.sp", vocab_size=PIECES, character_coverage=0.98,
        model_type="unigram", hard_vocab_limit=False, normalization_rule_tsv=str(rules), num_threads=1,
    )  # fmt: skip
    rules.unlink()
    (HERE / "tiny.sp.vocab").unlink()
    processor = sentencepiece.SentencePieceProcessor(model_file=str(HERE / "tiny.sp.model"))
    lines = [" ".join(processor.encode(line, out_type=str)) for line in text.read_text(encoding="utf-8").splitlines()]
    pieces, arpa = HERE / "pieces.txt", HERE / "tiny.arpa"
    pieces.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pieces.open() as source, arpa.open("w") as target:
        subprocess.run([programs / "lmplz", "-o", "3", "--discount_fallback"], stdin=source, stdout=target, check=True)
    subprocess.run([programs / "build_binary", arpa, HERE / "tiny.arpa.bin"], check=True)
    pieces.unlink()
    arpa.unlink()


def tools(peers: Path) -> tuple[dict[str, Callable[[str], str]], dict[str, Callable[[str], float]]]:
    """The normaliser and the perplexity of each tool, by its own code."""
    import kenlm  # where this is run, and nowhere else

    model = kenlm.Model(str(HERE / "tiny.arpa.bin"))
    processor = sentencepiece.SentencePieceProcessor(model_file=str(HERE / "tiny.sp.model"))

    ccnet = loaded("cc_net.text_normalizer", peers / "cc_net/cc_net/text_normalizer.py")
    stand_in("cc_net", jsonql=types.SimpleNamespace(Transformer=Transformer), text_normalizer=ccnet)
    stand_in("pandas")
    doc_lm = loaded("cc_net.perplexity", peers / "cc_net/cc_net/perplexity.py")
    pair = [doc_lm.SentencePiece(HERE / "tiny.sp.model", "text", normalize=True)._prepare()]
    pair.append(doc_lm.DocLM({"en": HERE / "tiny.arpa.bin"}, "tokenized", normalize=False))

    def cc_net(text: str) -> float:
        document = {"language": "en", "text": text}
        for step in pair:
            document = step.do(document)
        return float(document.get("perplexity", -1.0))  # CCNet leaves an empty document without a figure

    stand_in("core")
    stand_in("core.constants", CONTENT="text")
    stand_in("core.factory_utils", factory_function=lambda function: function)
    dclm = loaded("dclm", peers / "dclm/baselines/mappers/enrichers/quality_prediction_enrichers_kenlm_model.py")
    edugp = object.__new__(dclm.KenlmModel)
    edugp.model, edugp.tokenizer = model, dclm.SentencePiece(str(HERE / "tiny.sp.model"))
    edugp.accent, edugp.case, edugp.numbers, edugp.punct = False, False, True, 1

    for name in ("datatrove", "datatrove.utils"):
        stand_in(name)
    stand_in("huggingface_hub", hf_hub_url=None)
    stand_in("datatrove.io", cached_asset_path_or_download=None)
    for name in ("typeshelper", "text", "perplexity"):
        found = loaded(f"datatrove.utils.{name}", peers / f"datatrove/src/datatrove/utils/{name}.py")
    datatrove = found.KenlmModel("wikipedia", "en")
    datatrove._model, datatrove._tokenizer = model, found.SentencePiece("wikipedia", "en")
    datatrove._tokenizer._model = processor

    for name in ("fasttext", "languages_id", "parameters_filtering", "stopwords", "flagged_words"):
        stand_in(name, langs_id=None, parameters_filtering=None, stopwords=None, flagged_words=None)
    folder = peers / "data-preparation/preprocessing/training/01b_oscar_cleaning_and_filtering"
    loaded("normalization", folder / "normalization.py")
    roots = loaded("roots", folder / "filtering.py")

    data_juicer = juicer(peers / "data-juicer", processor, model)
    switches = (True, True, False, True, True, True)
    return {
        "ccnet": ccnet.normalize,
        "edugp": lambda text: edugp.normalize(text, accent=False, case=False, numbers=True, punct=1),
        "roots": lambda text: roots.ModifyingDocuments.normalization(text, *switches),
        "datatrove": datatrove.normalize,
    }, {
        "cc_net": cc_net,
        "edugp": edugp.get_perplexity,
        "datatrove": datatrove.get_perplexity,
        "roots": lambda text: roots.Filtering.compute_perplexity_score(text, processor, model),
        "data-juicer": data_juicer,
    }  # fmt: skip


class Transformer:
    """Stands for the base class of CCNet's steps, of which nothing is used."""

    def log(self, message: str) -> None:
        """Says nothing."""


def juicer(folder: Path, processor: Any, model: Any) -> Callable[[str], float]:
    """Data-Juicer's filter, whose package needs many others."""
    helper = loaded("helper_func", folder / "data_juicer/ops/common/helper_func.py")
    registry = types.SimpleNamespace(register_module=lambda name: lambda one: one)
    stand_in("data_juicer")
    stand_in("data_juicer.utils")
    names = types.SimpleNamespace(stats="stats", context="context", words="words", perplexity="perplexity")
    stand_in("data_juicer.utils.constant", Fields=names, InterVars=names, StatsKeys=names)
    stand_in(
        "data_juicer.utils.model_utils", get_model=lambda key: {"sp": processor, "kl": model}[key], prepare_model=None
    )
    stand_in("data_juicer.ops")
    stand_in("data_juicer.ops.filter")
    stand_in("data_juicer.ops.base_op", OPERATORS=registry, Filter=object)
    stand_in("data_juicer.ops.common", get_words_from_document=helper.get_words_from_document)
    stand_in("data_juicer.ops.op_fusion", INTER_WORDS=registry)
    found = loaded("data_juicer.ops.filter.perplexity_filter", folder / "data_juicer/ops/filter/perplexity_filter.py")
    one = object.__new__(found.PerplexityFilter)
    one.text_key, one.sp_model_key, one.kl_model_key = "text", "sp", "kl"

    def figure(text: str) -> float:
        samples: dict[str, list[Any]] = {"text": [text], "stats": [{}]}
        return float(one.compute_stats_batched(samples)["stats"][0]["perplexity"])

    return figure


def main() -> None:
    """Train, run and record."""
    peers, programs = (Path(name).resolve() for name in sys.argv[1:])
    train(programs)
    normalisers, perplexities = tools(peers)
    found = {
        "documents": DOCUMENTS,
        "normalised": {name: [change(text) for text in DOCUMENTS] for name, change in normalisers.items()},
        "perplexities": {name: [figure(text) for text in DOCUMENTS] for name, figure in perplexities.items()},
    }
    with (HERE / "figures.json").open("w", encoding="utf-8") as file:
        json.dump(found, file, ensure_ascii=True, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
