"""Mixtures: the weighted mean of several models' probabilities, with weights found on held-out text."""

from __future__ import annotations

import copy
import hashlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.check import choice, flag, items, shown
from bitmeter.errors import EmptyError, FileFormatError, InputTypeError, ModelError, NotNormalisedError, ShapeError
from bitmeter.models.mixture.cache import Cache, is_cache_name
from bitmeter.models.mixture.files import read_mixture, write_mixture
from bitmeter.models.mixture.session import MixtureStream, dimensions
from bitmeter.models.mixture.steps import CachePart, MixtureSteps, Part, fresh_part
from bitmeter.models.mixture.vocabulary import Vocabulary, vocabulary_of
from bitmeter.models.mixture.weights import Weights, best_rows, best_weights, mixed
from bitmeter.models.ngram.model import NGram
from bitmeter.models.openvocab.words import SpelledStream
from bitmeter.models.registry import Model, load
from bitmeter.text.blocks import split_corpus
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.units.base import BLANK, Units

__all__ = ["MixtureFit", "MixtureModel"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MixtureFit:
    """What fitting the weights found.

    Attributes
    ----------
    units
        Of the held-out text.
    steps
        Of expectation maximisation until the weights settled.
    alone
        The perplexity of each component on it, per unit of the model.
    perplexity
        That of the mixture.
    """

    units: int
    steps: int
    alone: tuple[float, ...]
    perplexity: float


class MixtureModel:
    r"""A weighted mean of models over the same units: p(w|h) = Σ λₖ pₖ(w|h).

    The models must have the same units: words (n-gram models of different texts may be mixed), or bytes. Words that
    only some of the n-gram models know are outcomes of the mixture; a model that does not know a word gives it an equal
    share of its `<unk>`, so that the mixture remains a distribution.

    Parameters
    ----------
    models
        Models or their names; caches (`bm.Cache`, or "cache:size=2000") among them.
    weights
        One for each, with sum 1; equal ones until `fit` finds better.
    buckets
        Have `fit` find weights for each kind of history: by how much of it the first n-gram model has seen and how
        sure it is there, and by how often the caches have seen what came last.

    Attributes
    ----------
    weights
        Of all places together.
    fitted
        What `fit` found; None before.

    Examples
    --------
    >>> import bitmeter as bm
    >>> one = bm.NGram(order=2).fit(b"to be or not to be\n" * 3)
    >>> two = bm.NGram(order=2).fit(b"that is the question\n" * 3)
    >>> mixture = bm.MixtureModel([one, two]).fit(b"to be\nthat is\nto be or not\n")
    >>> [round(weight, 2) for weight in mixture.weights]
    [0.75, 0.25]
    """

    def __init__(self, models: Any, weights: Any = None, *, buckets: bool = False) -> None:
        given = list(items(models, "models", "a list of models"))
        self.components = tuple(_component(model, place) for place, model in enumerate(given))
        if not any(not isinstance(model, Cache) for model in self.components):
            message = f"models is {shown(models)}; a mixture needs at least one model that is not a cache"
            raise EmptyError(message)
        self._vocabulary: Vocabulary = vocabulary_of(self.components)
        self.bucketed = flag(buckets, "buckets")
        self.dimensions = dimensions(self.components)
        self.weighted = Weights(_weights(weights, len(self.components)))
        self.fitted: MixtureFit | None = None
        self._oov = "none"
        self.name = f"mixture({', '.join(model.name for model in self.components)})"

    # ---- making --------------------------------------------------------------------------------------------------

    def fit(self, heldout: Any, *, field: str | None = None) -> MixtureModel:
        """Find the weights under which a held-out text is likeliest, by expectation maximisation.

        Parameters
        ----------
        heldout
            A text that no component was trained on: a path, a Corpus, bytes. For models that predict ends, lines are
            sentences.
        field
            The field of JSON lines or the column of Parquet that holds the text.

        Returns
        -------
        MixtureModel
            Itself.
        """
        logs, buckets = self._rated(heldout, field)
        possible = np.isfinite(logs.max(axis=0)) if logs.size else np.zeros(0, dtype=np.bool_)
        if not possible.any():
            message = "the held-out text has no unit that the models hold possible; weights need some"
            raise EmptyError(message)
        overall, steps = best_weights(logs)
        rows = None
        if buckets is not None:
            number = math.prod(bins for _, bins in self.dimensions)
            rows = best_rows(logs, buckets, number, overall)
        self.weighted = Weights(overall, rows)
        means = [_perplexity(row[possible]) for row in logs]
        together = _perplexity(mixed(logs, self.weighted.at(buckets))[possible])
        self.fitted = MixtureFit(int(logs.shape[1]), steps, tuple(means), together)
        return self

    def _rated(self, heldout: Any, field: str | None) -> tuple[Floats, Ints | None]:
        """ln p of each unit of a text by each component, and the kind of its history."""
        ends = self.predicts_end and not self.end_is_unit
        if isinstance(heldout, Corpus):
            corpus = Corpus.of(heldout, field=field)
        elif isinstance(heldout, bytes | bytearray | memoryview):
            corpus = Corpus.from_text(bytes(heldout), docs="line" if ends else "file")
        else:
            corpus = Corpus(heldout, field=field)
            if ends and corpus.docs != "record":
                corpus = Corpus(heldout, docs="line", field=field)
        stream = MixtureStream(self.with_oov("class") if "class" in self.oov_ways else self)
        logs, buckets = [], []
        for piece in split_corpus(corpus, self.units):
            ids, bounds = np.asarray(piece.split.ids, dtype=np.int64), piece.split.bounds
            if ends:
                ids, bounds = _with_ends(ids, bounds, len(piece.ends), int(self._models[0].end_id))
            found, kinds = stream.components(ids, bounds, continues=piece.continues)
            logs.append(found)
            buckets.append(kinds)
        if not logs:
            return np.zeros((len(self.components), 0)), None
        kinds = None if buckets[0] is None else np.concatenate([b for b in buckets if b is not None])
        return np.concatenate(logs, axis=1), kinds

    def save(self, path: Any, *, force: bool = False) -> None:
        """Write the mixture to a .bmx file, which names its models by their files and fingerprints."""
        write_mixture(self, path, force=force)

    @classmethod
    def load(cls, path: Any) -> MixtureModel:
        """A mixture from its .bmx file; the models that it names must be where it says, and the same."""
        about = read_mixture(path)
        made = cls(about.models, about.weights, buckets=about.buckets)
        for place, (model, expected) in enumerate(zip(made.components, about.fingerprints, strict=True)):
            found = _fingerprint(model)
            if found != expected:
                message = (
                    f"{about.name} was fitted with another model than {model.name}: component {place} has the "
                    f"fingerprint {found}, not {expected}; fit it again with: bitmeter mix"
                )
                raise FileFormatError(message, value=about.name)
        number = math.prod(bins for _, bins in made.dimensions)
        if about.rows is not None:
            rows = np.tile(made.weighted.overall, (number, 1))
            for bucket, row in about.rows.items():
                if not 0 <= bucket < number:
                    message = f"{about.name} has weights for a bucket {bucket} that its models do not have"
                    raise FileFormatError(message, value=about.name)
                rows[bucket] = _weights(row, len(made.components))
            made.weighted = Weights(made.weighted.overall, rows)
        made.name = f"mixture:{about.name.rpartition('/')[2]}"
        return made

    # ---- as a model ----------------------------------------------------------------------------------------------

    @property
    def weights(self) -> tuple[float, ...]:
        """What each component counts for at all places together."""
        return tuple(self.weighted.overall.tolist())

    @property
    def units(self) -> Units:
        """Those of the components."""
        return self._vocabulary.units

    @property
    def size(self) -> int:
        """How many outcomes a prediction has."""
        return self._vocabulary.size

    @property
    def outcome_names(self) -> tuple[bytes, ...]:
        """The bytes of each outcome of a prediction."""
        return self._vocabulary.names

    @property
    def unigram(self) -> Floats:
        """ln p of each outcome by the first model where it knows no history."""
        return self._vocabulary.unigram

    @property
    def predicts_end(self) -> bool:
        """Whether all models predict the end of a document."""
        return all(getattr(model, "predicts_end", False) for model in self._models)

    @property
    def end_id(self) -> int | None:
        """The id of a document's end."""
        return self._models[0].end_id if self.predicts_end else None

    @property
    def end_is_unit(self) -> bool:
        """Whether a unit of the text is the end of a sentence to all models: the newline of a line."""
        return all(getattr(model, "end_is_unit", False) for model in self._models)

    @property
    def outcome_ids(self) -> Ints:
        """The id of each outcome of a prediction; -1 for what is no unit."""
        return self._vocabulary.outcome_ids

    @property
    def oov_ways(self) -> tuple[str, ...]:
        """What unknown words can cost."""
        if not all(isinstance(model, NGram) and model.oov_ways for model in self._models):
            return ()
        if not all(model.of_words for model in self._models):
            return ("class",)
        return ("class", "spelled") if "spelled" in self._speller.oov_ways else ("class",)

    @property
    def _models(self) -> list[Any]:
        return [model for model in self.components if not isinstance(model, Cache)]

    @property
    def _speller(self) -> NGram:
        """The first model that can spell, or else the first."""
        able = [model for model in self._models if "spelled" in model.oov_ways]
        first: NGram = (able or self._models)[0]
        return first

    @property
    def spelling(self) -> Any:
        """How unknown words are spelled: as by the first model that can."""
        return self._speller.spelling

    @property
    def fingerprint(self) -> str:
        """Changes with anything that can change a probability."""
        content = hashlib.sha256(repr([_fingerprint(model) for model in self.components]).encode())
        content.update(self.weighted.overall.tobytes())
        content.update(b"" if self.weighted.rows is None else self.weighted.rows.tobytes())
        spelled = f"-{self.spelling.fingerprint():016x}" if self._oov == "spelled" else ""
        return f"mixture-{content.hexdigest()[:16]}-{self._oov}{spelled}"

    def logprobs(self, ids: NDArray[Any], bounds: Ints) -> Floats:
        """ln p of each unit given those before it; a cache goes on from document to document."""
        return MixtureStream(self).logprobs(ids, bounds, continues=False)

    def predict(self, history: NDArray[Any]) -> Floats:
        """ln p of every outcome after this history of one document; the probabilities sum to one."""
        numbers = np.asarray(history, dtype=np.int64)
        stream = MixtureStream(self)
        if len(numbers):
            stream.logprobs(numbers, np.array([0, len(numbers)], dtype=np.int64), continues=False)
        return stream.predict()

    def stream(self) -> MixtureStream | SpelledStream:
        """Begin a text."""
        if self._oov == "spelled":
            return SpelledStream(MixtureStream(self), self.spelling, len(self.outcome_names))
        return MixtureStream(self)

    def stepper(self) -> MixtureSteps:
        """Begin a document that comes unit by unit, as `bitmeter.compress` needs it."""
        unigram = self.unigram if len(self._models) < len(self.components) else np.zeros(0)
        parts: list[Part] = [
            CachePart(model.begin(unigram), self) if isinstance(model, Cache) else fresh_part(model)
            for model in self.components
        ]
        return MixtureSteps(self, parts)

    def with_oov(self, way: str) -> MixtureModel:
        """The same mixture with another cost for unknown words."""
        other = copy.copy(self)
        other._oov = choice(way, "oov", ("none", "class", "spelled"))
        if way == "spelled":
            _ = self.spelling  # says what is missing
        return other

    def with_components(self, components: list[Any]) -> MixtureModel:
        """The same mixture of other objects for the very same models, such as copies with files of their own."""
        made = MixtureModel(components, self.weighted.overall, buckets=self.bucketed)
        if [_fingerprint(model) for model in made.components] != [_fingerprint(model) for model in self.components]:
            message = "the components of a mixture can only be exchanged for the very same models"
            raise ModelError(message)
        made.weighted, made.name, made._oov, made.fitted = self.weighted, self.name, self._oov, self.fitted
        return made

    def unknown(self, ids: NDArray[Any]) -> NDArray[np.bool_]:
        """Which units no component knows."""
        return self._vocabulary.unknown(ids)

    def without_unknown(self, ids: NDArray[Any], logs: Floats) -> Floats:
        """Unknown words are impossible unless their class or spelling is asked for."""
        if self._oov != "none":
            return logs
        return np.where(self.unknown(ids), -np.inf, logs)

    def places(self, ids: NDArray[Any]) -> Ints:
        """Where each id stands in what `predict` gives."""
        return self._vocabulary.places(ids)

    def own_ids(self, component: int, ids: Ints) -> Ints:
        """The ids of a component for those of the mixture."""
        return self._vocabulary.own_ids(component, ids)

    def shares(self, component: int, ids: Ints) -> Floats | float:
        """ln of the share that each unit has in the component's outcome for it."""
        return self._vocabulary.shares(component, ids)

    def spread(self, component: int, logs: Floats) -> Floats:
        """A component's prediction over the outcomes of the mixture."""
        return self._vocabulary.spread(component, logs)

    def __repr__(self) -> str:
        parts = ", ".join(f"{w:.3f} {m.name}" for w, m in zip(self.weights, self.components, strict=True))
        return f"<MixtureModel {parts}>"


def _component(model: Any, place: int) -> Any:
    if isinstance(model, Cache):
        return model
    if is_cache_name(model):
        return Cache.parse(model)
    found = load(model)
    if isinstance(found, MixtureModel) or not isinstance(found, Model):
        message = (
            f"models[{place}] is {getattr(found, 'name', found)!r:.60}, which cannot be mixed: it gives only a total"
        )
        if isinstance(found, MixtureModel):
            message = f"models[{place}] is a mixture; give its components instead"
        raise ModelError(message, value=model, index=place)
    if not getattr(found, "is_distribution", True):
        message = f"models[{place}] is {found.name}, whose scores do not sum to one; only distributions can be mixed"
        raise ModelError(message, value=model, index=place)
    return found.with_oov("class") if isinstance(found, NGram) and found.oov_ways else found


def _fingerprint(model: Any) -> str:
    return model.name if isinstance(model, Cache) else str(model.fingerprint)


def _weights(weights: Any, number: int) -> Floats:
    if weights is None:
        return np.full(number, 1.0 / number)
    try:
        found = np.array([float(w) for w in items(weights, "weights", "a list of numbers")])
    except (TypeError, ValueError) as error:
        message = f"weights is {shown(weights)}; it must be a list of numbers"
        raise InputTypeError(message, value=weights) from error
    if len(found) != number:
        message = f"weights has {len(found)} numbers for {number} models; give one for each"
        raise ShapeError(message, value=weights)
    if not (np.isfinite(found).all() and (found >= 0).all() and abs(found.sum() - 1.0) < 1e-6):
        message = f"weights is {shown(weights)}; they must be at least 0 and sum to 1, found {float(found.sum()):g}"
        raise NotNormalisedError(message, value=weights)
    total = float(found.sum())
    return found if abs(total - 1.0) < 1e-12 else np.asarray(found / total)  # weights from a file stay as they are


def _with_ends(ids: Ints, bounds: Ints, finished: int, end: int) -> tuple[Ints, Ints]:
    """The end of each finished document as one more unit; a document without words is its end alone."""
    ids = np.where(ids == BLANK, end, ids)
    alone = np.zeros(finished, dtype=np.bool_)
    sizes = np.diff(bounds)[:finished]
    single = np.flatnonzero(sizes == 1)
    alone[single] = ids[bounds[single]] == end
    places = bounds[1 : finished + 1][~alone]
    grown = bounds.copy()
    grown[1 : finished + 1] += np.cumsum(~alone)
    grown[finished + 1 :] += int((~alone).sum())
    return np.insert(ids, places, end), grown


def _perplexity(logs: Floats) -> float:
    mean = -float(logs.mean())
    return math.inf if mean > 700.0 else math.exp(mean)
