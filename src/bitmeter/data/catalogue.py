"""The test sets that are known by name, each pinned by hash, with licence and source.

Where each hash was read is noted beside it. A set whose hash is published nowhere is not here; a set that may be had
only under terms that a person accepts is listed with how to get it, and is not fetched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["SETS", "KnownSet", "Part", "known_part", "name_of", "split_name"]

_CC = "CC BY-SA 3.0 and GFDL"
_WIKI = "as published: sections keep their headings, punctuation is set apart by spaces, no word is replaced"


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a test set.

    Attributes
    ----------
    member
        Its name in the archive; the file itself where there is no archive.
    sha256
        Of its bytes; "" if only the archive is pinned, so that the file is known by where it came from.
    size
        In bytes; 0 if not published.
    suffix
        Of the stored file: it says how the text is read.
    """

    member: str
    sha256: str = ""
    size: int = 0
    suffix: str = ".txt"


@dataclass(frozen=True, slots=True)
class KnownSet:
    """A public test set.

    Attributes
    ----------
    name, title
        For the command line, and for people.
    parts
        Its files by split; "" for a set of one file.
    licence, source
        Under which terms it may be used, and who published it.
    normalised
        What was done to the text by those who published it; bitmeter scores the bytes as they are.
    archive
        The name of the published file.
    sha256, size
        Of the published file.
    addresses
        Where it can be fetched, in the order in which they are tried.
    gated
        Why it is not fetched, and what to do instead; "" if it can be.
    """

    name: str
    title: str
    parts: dict[str, Part]
    licence: str
    source: str
    normalised: str
    archive: str = ""
    sha256: str = ""
    size: int = 0
    addresses: tuple[str, ...] = ()
    gated: str = ""

    @property
    def names(self) -> list[str]:
        """What can be typed for a text of this set."""
        return [f"{self.name}:{split}" if split else self.name for split in self.parts]


#: SHA-256 of wiki.test.raw: posted with llama.cpp's perplexity runs (ik_llama.cpp discussion 288) and pinned by many
#: projects that fetch the archive for them. WikiText-103 has the same file: GluonNLP (data/corpora/wikitext.py)
#: publishes one SHA-1 for both, and one for both validation files.
_RAW_TEST = Part("wiki.test.raw", "173c87a53759e0201f33e0ccf978e510c2042d7f2cb78229d9a50d79b9e7dd08", 1_290_590)
_RAW_VALID = Part("wiki.valid.raw")
_SMERITY = "https://wikitext.smerity.com"

_LISTED = (
    KnownSet(
        "wikitext2",
        "WikiText-2, raw",
        {"test": _RAW_TEST, "valid": _RAW_VALID, "train": Part("wiki.train.raw")},
        _CC,
        "Merity et al. 2016, Pointer Sentinel Mixture Models",
        _WIKI,
        "wikitext-2-raw-v1.zip",
        # Apple's mlx-data (python/mlx/data/datasets/wikitext.py); the size is that of the copy that llama.cpp's
        # scripts/get-wikitext-2.sh fetches, which has the same hash.
        "ef7edb566e3e2b2d31b29c1fdb0c89a4cc683597484c3dc2517919c615435a11",
        4_721_645,
        (
            f"{_SMERITY}/wikitext-2-raw-v1.zip",
            "https://huggingface.co/datasets/ggml-org/ci/resolve/927b3642933080f1b0e811e2f916e14c292992f9/"
            "wikitext-2-raw-v1.zip",
        ),
    ),
    KnownSet(
        "wikitext2-tokens",
        "WikiText-2, words",
        # Computed from the files, whose SHA-1 are those that GluonNLP (data/corpora/wikitext.py) publishes:
        # c7b8ce0aa086fb34dab808c5c49224211eb2b172, 0418625c8b4da6e4b5c7a0b9e78d4ae8f7ee5422,
        # 863f29c46ef9d167fff4940ec821195882fe29d1.
        {
            "test": Part(
                "wiki.test.tokens", "d790b833ef8cf03a90db7bf1271b7520b83c45ce07ba3c1a9699df81e239eca0", 1_256_449
            ),
            "valid": Part(
                "wiki.valid.tokens", "f0737ed31fc1329026e95cb8b98e19c2a182c39c240ab909dc31abf2f8af58e8", 1_121_681
            ),
            "train": Part(
                "wiki.train.tokens", "9e9fa1ad55b1c2c95b08e37dd8e653f638fac2c6de904b79e813611eefbc985f", 10_797_148
            ),
        },
        _CC,
        "Merity et al. 2016, Pointer Sentinel Mixture Models",
        "as published: words that are rare in the training part are replaced by <unk>",
        "wikitext-2-v1.zip",
        # mlx-data, as above; torchtext's WikiText2 has the MD5 542ccefacc6c27f945fb54453812b3cd.
        "92675f1d63015c1c8b51f1656a52d5bdbc33aafa60cc47a218a66e7ee817488c",
        0,
        (f"{_SMERITY}/wikitext-2-v1.zip",),
    ),
    KnownSet(
        "wikitext103",
        "WikiText-103, raw",
        {"test": _RAW_TEST, "valid": _RAW_VALID, "train": Part("wiki.train.raw")},
        _CC,
        "Merity et al. 2016, Pointer Sentinel Mixture Models",
        f"{_WIKI}; test and valid are the files of wikitext2",
        "wikitext-103-raw-v1.zip",
        "91c00ae287f0d699e18605c84afc9e45c192bc6b7797ff8837e5474655a33794",  # mlx-data, as above
        191_984_949,
        (f"{_SMERITY}/wikitext-103-raw-v1.zip",),
    ),
    KnownSet(
        "enwik8",
        "enwik8, the Hutter Prize's first 100 MB of Wikipedia",
        # Computed by many from the file whose MD5, a1fa5ffddb56f4953e226637dabbb36a, its author publishes
        # (mattmahoney.net/dc/textdata.html); also the SHA-256 of tamp's test data (BrianPugh/tamp).
        {"": Part("enwik8", "2b49720ec4d78c3c9fabaee6e4179a5e997302b3a70029f30f2d582218c024a8", 100_000_000)},
        "CC BY-SA 3.0 and GFDL (Wikipedia)",
        "Mahoney, Large Text Compression Benchmark",
        "none: XML and markup as in the dump of 3 March 2006",
        "enwik8.zip",
        "547994d9980ebed1288380d652999f38a14fe291a6247c157c3d33d4932534bc",  # several projects that fetch it pin it
        36_445_475,
        ("https://mattmahoney.net/dc/enwik8.zip",),
    ),
    KnownSet(
        "text8",
        "text8, 100 MB of cleaned Wikipedia",
        {"": Part("text8", "", 100_000_000)},
        "CC BY-SA 3.0 and GFDL (Wikipedia)",
        "Mahoney, Large Text Compression Benchmark",
        "as published: letters a to z and single spaces, digits spelled out",
        "text8.zip",
        # Pinned by TensorFlow's word2vec examples and others; its size is in all of those.
        "a6640522afe85d1963ad56c05b0ede0a0c000dddc9671758a6cc09b7a38e5232",
        31_344_016,
        ("https://mattmahoney.net/dc/text8.zip",),
    ),
    KnownSet(
        "lambada",
        "LAMBADA, test, OpenAI's version",
        # lm-evaluation-harness (lm_eval/datasets/lambada_openai): the file that OpenAI published with GPT-2.
        {
            "": Part(
                "lambada_test.jsonl",
                "4aa8d02cd17c719165fc8a7887fddd641f43fcafa4b1c806ca8abc31fabdb226",
                1_819_752,
                ".jsonl",
            )
        },
        "CC BY 4.0 (Paperno et al. 2016); OpenAI's version: MIT",
        "OpenAI, with GPT-2, after Paperno et al. 2016",
        "as published: detokenised by OpenAI; one passage per row, field text",
        "lambada_test.jsonl",
        "4aa8d02cd17c719165fc8a7887fddd641f43fcafa4b1c806ca8abc31fabdb226",
        1_819_752,
        (
            "https://openaipublic.blob.core.windows.net/gpt-2/data/lambada_test.jsonl",
            "https://huggingface.co/datasets/EleutherAI/lambada_openai/resolve/"
            "900124bf3b8235c6daf21033af9948b3f07346c4/data/lambada_test.jsonl",
        ),
    ),
    KnownSet(
        "paloma",
        "Paloma, 546 domains",
        {},
        "AI2 ImpACT, low risk; its sources have their own",
        "Magnusson et al. 2023, allenai/paloma",
        "as published",
        gated="its files are given only to those who accept its terms on the page of allenai/paloma. Accept them "
        "there, download it by the tools of that site, and score its files: --on 'paloma/wikitext_103/test/*.gz'",
    ),
)

#: The sets by name.
SETS = {known.name: known for known in _LISTED}
_NAME = re.compile(r"([a-z0-9][a-z0-9-]*)(?::([a-z0-9_-]+))?")


def split_name(name: str) -> tuple[KnownSet, str] | None:
    """The set that a name such as "wikitext2:test" is of, and the split; None if it names none.

    Examples
    --------
    >>> found = split_name("wikitext2:test")
    >>> found[0].title, found[1]
    ('WikiText-2, raw', 'test')
    >>> split_name("notes.txt") is None, split_name("kt") is None
    (True, True)
    """
    found = _NAME.fullmatch(name)
    if found is None or found[1] not in SETS:
        return None
    return SETS[found[1]], found[2] or ""


def known_part(sha256: str) -> tuple[str, Part] | None:
    """The name and the file of a set whose bytes have this SHA-256; the first in the order of the catalogue."""
    for known in _LISTED:
        for split, part in known.parts.items():
            if part.sha256 and part.sha256 == sha256:
                return (f"{known.name}:{split}" if split else known.name), part
    return None


def name_of(digits: str, size: int) -> str | None:
    """The name of the set whose text has a hash that begins so, and this many bytes; None for other texts.

    Examples
    --------
    >>> name_of("173c87a53759e0201f33e0cc", 1290590)
    'wikitext2:test'
    """
    if len(digits) < 24:
        return None
    for known in _LISTED:
        for split, part in known.parts.items():
            # A part that holds rows has no hash of its texts.
            if part.sha256.startswith(digits) and part.size == size and part.suffix == ".txt":
                return f"{known.name}:{split}" if split else known.name
    return None
