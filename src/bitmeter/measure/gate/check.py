"""check(): whether a model or run is worse than a baseline by more than is allowed."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bitmeter._util.check import choice, flag, real
from bitmeter._util.files import as_path
from bitmeter._util.rendering import rendered
from bitmeter.errors import InputError, MissingSourceError
from bitmeter.measure.compare import WEIGHTS, Comparison, Weights, compare_scores
from bitmeter.measure.divergence import Divergence, divergence
from bitmeter.measure.gate.allowance import Allowance, read_allowance, read_share
from bitmeter.measure.gate.limits import Limit, Verdict, against, kl_limit, top_limit
from bitmeter.measure.score import Score
from bitmeter.measure.scoring import score
from bitmeter.measure.signature import Signature

__all__ = ["Check", "check", "check_files", "conventions_of", "is_run"]

#: The keywords of `score` that `divergence` has, too.
_SHARED = ("docs", "field", "ctx", "progress")
#: The beginning of a file that may be a run.
_OPENING = 1 << 16
#: Of the files that are runs.
_SUFFIX = ".json"
#: Which verdict decides where there are several limits, the first of them.
_WORST: tuple[Verdict, ...] = ("worse", "undecided", "equal", "better")


@dataclass(frozen=True, slots=True)
class Check:
    r"""Whether a model is worse than a baseline by more than is allowed.

    Attributes
    ----------
    comparison
        Both scores, and the paired difference with its interval.
    limits
        Each figure that was held against its limit: the difference in bits per byte, and if asked for the mean KL
        divergence and the rate of different most likely tokens.
    allow
        The allowance as it was given.
    strict
        Whether an undecided check does not pass.
    divergence
        Of the predictions, if asked for.

    Examples
    --------
    >>> import bitmeter as bm
    >>> lines = b"".join(b"line %d of a small text\n" % i for i in range(40))
    >>> found = bm.check("kt", "kt", on=lines, docs="line", allow="0.5%")
    >>> found.verdict, found.passed
    ('equal', True)
    """

    comparison: Comparison
    limits: tuple[Limit, ...]
    allow: str
    strict: bool = False
    divergence: Divergence | None = None

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all limits: "worse", "undecided", "equal" or "better"."""
        found = {limit.verdict for limit in self.limits}
        return next(verdict for verdict in _WORST if verdict in found)

    @property
    def passed(self) -> bool:
        """Whether nothing is worse than allowed; with `strict`, whether all is shown not to be."""
        return self.verdict not in (("worse", "undecided") if self.strict else ("worse",))

    @property
    def base(self) -> Score:
        """The score of the baseline."""
        return self.comparison.rows[0].score

    @property
    def new(self) -> Score:
        """The score that was checked."""
        return self.comparison.rows[1].score

    def to_dict(self) -> dict[str, Any]:
        """All figures at full precision."""
        return {
            "schema": "bitmeter.check/1",
            "verdict": self.verdict,
            "passed": self.passed,
            "strict": self.strict,
            "allow": self.allow,
            "limits": [limit.to_dict() for limit in self.limits],
            "comparison": self.comparison.to_dict(),
            **({} if self.divergence is None else {"divergence": self.divergence.to_dict()}),
        }

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def __str__(self) -> str:
        return rendered(self)


def check(
    base: Any,
    new: Any,
    *,
    on: Any = None,
    allow: float | str = 0.0,
    kl: float | None = None,
    same_top: float | str | None = None,
    strict: bool = False,
    confidence: float = 0.95,
    weights: Weights = "byte",
    **keywords: Any,
) -> Check:
    r"""Check that a model is not worse than a baseline by more than is allowed.

    The difference is paired, by document or along the text, as in `compare`. The check fails only if the interval of
    the difference lies above the allowance as a whole; it passes if it lies below. Else it is undecided, and says how
    much more text would decide.

    Parameters
    ----------
    base
        The baseline: a Score, the path of a saved run, or with `on` a model.
    new
        What is checked: the same.
    on
        The text on which models are scored. A run must be of the same text. Where one of the two is a run, its
        conventions (documents, normalisation, first unit, ends, denominator) are those of the other.
    allow
        By how much the new one may be worse: a number of bits per byte, or a share of the baseline's, such as "0.5%".
    kl
        The largest mean KL divergence allowed, in bits per token; both must be models that predict the same outcomes.
    same_top
        The smallest rate allowed at which both predict the same most likely token, such as "99%" or 0.99.
    strict
        Whether an undecided check does not pass.
    confidence
        Of the intervals.
    weights
        What counts alike in the difference: every "byte" or every "document".
    **keywords
        Handed to `score`.

    Returns
    -------
    Check
        Verdict, figures with intervals, and what would decide.

    Raises
    ------
    IncomparableError
        If texts or conventions differ.

    Examples
    --------
    >>> import bitmeter as bm
    >>> lines = b"".join(b"line %d of a small text\n" % i for i in range(40))
    >>> print(bm.check("kt", "uniform", on=lines, docs="line", allow=0.1).verdict)
    worse
    """
    choice(weights, "weights", WEIGHTS)
    level, limit = real(confidence, "confidence", low=0.5, high=0.9999), read_allowance(allow)
    must_agree = flag(strict, "strict")
    most = None if kl is None else real(kl, "kl", low=0.0)
    least = None if same_top is None else read_share(same_top, "same_top")
    check_files(base, new)
    known = [is_run(one) for one in (base, new)]
    _check_use(known, on, [name for name, value in (("kl", kl), ("same_top", same_top)) if value is not None], keywords)
    diverged = None
    if most is not None or least is not None:
        diverged = divergence(base, new, on, **{k: keywords[k] for k in _SHARED if k in keywords})
    first, second = _both((base, new), known, on, level, keywords)
    return judge(first, second, limit, most, least, diverged, strict=must_agree, confidence=level, weights=weights)


def judge(
    base: Score,
    new: Score,
    allow: Allowance,
    kl: float | None,
    same_top: float | None,
    diverged: Divergence | None,
    *,
    strict: bool,
    confidence: float,
    weights: Weights,
) -> Check:
    """The check of two scores, and of the divergence of their models if it was measured."""
    found = compare_scores([base, new], confidence, weights)
    limits = [against(found, allow)]
    if diverged is not None:
        if kl is not None:
            limits.append(kl_limit(diverged, kl, confidence))
        if same_top is not None:
            limits.append(top_limit(diverged, same_top, confidence))
    return Check(found, tuple(limits), str(allow), strict, diverged)


def _both(
    pair: tuple[Any, Any], known: list[bool], on: Any, confidence: float, keywords: dict[str, Any]
) -> tuple[Score, Score]:
    """Both scores; what is a run gives the conventions of what is scored."""
    runs = [_as_run(one) if ready else None for one, ready in zip(pair, known, strict=True)]
    given = next((run for run in runs if run is not None), None)
    inherited = {} if given is None else conventions_of(given.signature)
    found = [
        score(one, on, confidence=confidence, **(inherited | keywords)) if run is None else run
        for one, run in zip(pair, runs, strict=True)
    ]
    return found[0], found[1]


def _check_use(known: list[bool], on: Any, limits: list[str], keywords: dict[str, Any]) -> None:
    if limits and any(known):
        message = (
            f"{limits[0]} needs the predictions of two models, and a saved run holds only sums; give both models, "
            "and the text with on=TEXT (--on TEXT)"
        )
        raise InputError(message)
    if all(known) and (on is not None or keywords):
        name = "on" if on is not None else next(iter(keywords))
        message = f"{name} is for scoring, and both are scored already; leave it out"
        raise InputError(message)
    if not all(known) and on is None:
        which = "the baseline" if not known[0] else "the new one"
        message = f"{which} is not a saved run, and so it has to be scored: give the text with on=TEXT (--on TEXT)"
        raise InputError(message)


def _as_run(value: Any) -> Score:
    return value if isinstance(value, Score) else Score.load(value)


def check_files(*names: Any) -> None:
    """Refuse a path that has the suffix of a saved run where there is no file.

    Examples
    --------
    >>> check_files("kt", "no/such/run.json")
    Traceback (most recent call last):
    bitmeter.errors.MissingSourceError: there is no file no/such/run.json; `bitmeter score … -o ...
    """
    for name in names:
        if isinstance(name, str | os.PathLike) and str(name).lower().endswith(_SUFFIX):
            path = as_path(name)
            if not path.exists():
                message = f"there is no file {path}; `bitmeter score … -o {path.name}` writes a run"
                raise MissingSourceError(message, path=str(path))


def is_run(value: Any) -> bool:
    """Whether something is a Score or the path of a saved run, by its content: a JSON object with the schema of runs.

    Examples
    --------
    >>> is_run("kt"), is_run("no/such/file.json")
    (False, False)
    """
    if isinstance(value, Score):
        return True
    if not isinstance(value, str | os.PathLike):
        return False
    try:
        path = Path(value)
        if not path.is_file():
            return False
        with path.open("rb") as file:
            opening = file.read(_OPENING)
    except (OSError, ValueError):
        return False
    return opening.lstrip()[:1] == b"{" and b'"bitmeter.score/' in opening


def conventions_of(signature: Signature) -> dict[str, str]:
    """The keywords of `score` by which another model is scored as this one was.

    Examples
    --------
    >>> conventions_of(Signature(docs="line.12.abcdef01", eos="yes"))
    {'docs': 'line', 'eos': 'yes'}
    """
    defaults = Signature()
    found = {key: getattr(signature, key) for key in ("norm", "first", "eos", "den")}
    chosen = {key: value for key, value in found.items() if value != getattr(defaults, key)}
    docs = signature.docs.partition(".")[0]
    return chosen if docs in ("file", "record", "mixed") else {"docs": docs, **chosen}
