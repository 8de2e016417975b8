"""Mixtures: the weighted mean of several models' probabilities, with weights found on held-out text."""

from __future__ import annotations

import copy
import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ids, Ints
from bitmeter._util.check import choice, flag, integer, items, shown
from bitmeter._util.files import label
from bitmeter.errors import EmptyError, FileFormatError, InputTypeError, ModelError, NotNormalisedError, ShapeError
from bitmeter.models.coder import Coder, CodeWatch, StepwiseCoder
from bitmeter.models.components import GIVE, Components
from bitmeter.models.machine import Machine, machine_of
from bitmeter.models.mixture.cache import Cache, is_cache_name
from bitmeter.models.mixture.files import SUFFIX, MixtureFile, Part, gate_of, read_mixture, write_mixture
from bitmeter.models.mixture.gate import fit_gate
from bitmeter.models.mixture.session import MixtureSession, dimensions, gate_dimensions, last_units
from bitmeter.models.mixture.steps import CacheStepper, MixtureStepper
from bitmeter.models.mixture.vocabulary import Vocabulary, vocabulary_of
from bitmeter.models.mixture.weights import Weights, best_rows, best_weights, mixed
from bitmeter.models.openvocab.coder import SpelledCoder
from bitmeter.models.openvocab.words import SpelledSession
from bitmeter.models.outcomes import Outcomes
from bitmeter.models.pickling import SharedCopies
from bitmeter.models.protocols import (
    Bundled,
    Checked,
    Codes,
    Compressor,
    Model,
    NGramLike,
    OpenVocabulary,
    Options,
    Predictor,
    Session,
    Stepper,
    Traits,
)
from bitmeter.models.registry import components_of, is_named, load_file, resolve
from bitmeter.models.scheme import Scheme
from bitmeter.models.session import End
from bitmeter.text.blocks import split_corpus
from bitmeter.text.boundaries import sentences_of, with_ends
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.units.base import Units
from bitmeter.text.units.words import Words

__all__ = ["MixtureFit", "MixtureModel"]


@dataclass(frozen=True, slots=True)
class MixtureFit:
    """What fitting the weights found.

    Attributes
    ----------
    units
        Of the held-out text.
    steps
        Of expectation maximisation, or of the gate's, until the weights settled.
    alone
        The perplexity of each component on it, per unit of the model; for words, ends of sentences are units, and the
        vocabulary is closed: an unknown word costs `<unk>` alone.
    perplexity
        That of the mixture.
    impossible
        Units that no component gives a probability; perplexities leave them out.
    """

    units: int
    steps: int
    alone: tuple[float, ...]
    perplexity: float
    impossible: int = 0


class MixtureModel(SharedCopies, Predictor, OpenVocabulary, Codes, Bundled):
    r"""A weighted mean of models over the same units: p(w|h) = Σ λₖ pₖ(w|h).

    The models must have the same units: words (n-gram models of different texts may be mixed), or bytes. Words that
    only some of the n-gram models know are outcomes of the mixture; a model that does not know a word gives it an equal
    share of its `<unk>`, so that the mixture remains a distribution.

    Parameters
    ----------
    models
        Models or their names; caches (`bm.Cache`, or "cache:size=2000") among them.
    weights
        One for each, with sum 1; equal until `fit` finds better ones.
    buckets
        Have `fit` find weights for each kind of history: by how much of it the first n-gram model has seen and how
        sure it is there, and by how often the caches have seen what came last.
    gate
        Have `fit` find weights by the history, as a softmax of a sum of terms: for how much of it the first n-gram
        model has seen, for what each cache has seen of it, and for the last unit. Better than `buckets`, and slower.

    Attributes
    ----------
    weights
        Over all histories together.
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

    BUNDLE = f"model{SUFFIX}"
    name: str

    def __init__(self, models: Any, weights: Any = None, *, buckets: bool = False, gate: bool = False) -> None:
        given = list(items(models, "models", "a list of models"))
        self.components: tuple[Model | Cache, ...] = tuple(
            _component(model, index) for index, model in enumerate(given)
        )
        if not any(not isinstance(model, Cache) for model in self.components):
            message = f"models is {shown(models)}; a mixture needs at least one model that is not a cache"
            raise EmptyError(message)
        self.vocabulary: Vocabulary = vocabulary_of(self.components)
        self.bucketed, self.gated = flag(buckets, "buckets"), flag(gate, "gate")
        if self.bucketed and self.gated:
            message = "buckets and gate are two ways to choose the weights by the history; take one of them"
            raise ModelError(message)
        self.dimensions = gate_dimensions(self.components) if self.gated else dimensions(self.components)
        self.weighted = Weights(_weights(weights, len(self.components)))
        self.fitted: MixtureFit | None = None
        self._oov = "none"
        self.path: str | None = None
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
        logs, buckets = self._scored(heldout, field)
        possible = np.isfinite(logs.max(axis=0)) if logs.size else np.zeros(0, dtype=np.bool_)
        if not possible.any():
            message = "the held-out text has no unit to which the models give a probability; weights need some"
            raise EmptyError(message)
        overall, steps = best_weights(logs)
        rows = gate = None
        if self.gated and buckets is not None:
            gate, steps = fit_gate(logs, buckets, [bins for _, bins in self.dimensions], overall)
        elif buckets is not None:
            number = math.prod(bins for _, bins in self.dimensions)
            rows = best_rows(logs, buckets, number, overall)
        self.weighted = Weights(overall, rows, gate)
        means = [_perplexity(row[possible]) for row in logs]
        together = _perplexity(mixed(logs, self.weighted.at(buckets))[possible])
        left_out = int(np.count_nonzero(~possible))
        self.fitted = MixtureFit(int(logs.shape[1]), steps, tuple(means), together, left_out)
        return self

    def component_logs(self, text: Any, *, field: str | None = None, most: int | None = None) -> Floats:
        """ln p of each unit of a text by each component, as `fit` sees them; of `most` units or a few more."""
        return self._scored(text, field, None if most is None else integer(most, "most", low=1))[0]

    def _scored(self, heldout: Any, field: str | None, most: int | None = None) -> tuple[Floats, Ints | None]:
        """ln p of each unit of a text by each component, and the bucket of its history."""
        end = self._end
        lines = end is not None and not end.is_unit
        corpus = sentences_of(heldout, field=field) if lines else Corpus.of(heldout, field=field)
        mixture = self.with_oov("class") if "class" in self.traits.oov else self
        session = MixtureSession(mixture, self.components, mixture.outcomes)
        logs, buckets = [], []
        for block in split_corpus(corpus, self.units):
            split = block.split
            if lines and end is not None:
                split, _ = with_ends(split, self.units.blank(split), len(block.ends), end.id, keep_blank=False)
            found, kinds = session.components(split.ids, split.bounds, continues=block.continues)
            logs.append(found)
            buckets.append(kinds)
            if most is not None and sum(part.shape[1] for part in logs) >= most:
                break
        if not logs:
            return np.zeros((len(self.components), 0)), None
        kinds = None if buckets[0] is None else np.concatenate([b for b in buckets if b is not None], axis=-1)
        return np.concatenate(logs, axis=1), kinds

    def save(self, path: Any, *, force: bool = False) -> tuple[int, ...]:
        """Write the mixture to a .bmx file, which names its models by their fingerprints.

        Models whose files are in the folder of the mixture, or below it, are found there when it is loaded. So are
        those that are made from their name. All others have to be given: see `load`.

        Returns
        -------
        tuple of int
            Which components have to be given.
        """
        given = write_mixture(
            self.components, self.weighted, path, buckets=self.bucketed, gated=self.gated, force=force
        )
        self.path = str(path)
        return given

    @classmethod
    def load(cls, path: Any, *, components: Any = ()) -> MixtureModel:
        """A mixture from its .bmx file.

        Parameters
        ----------
        path
            The file. It loads models of its own folder alone, and those that are made from their name (kt, uniform,
            universal).
        components
            The models that it refers to by fingerprint, or their names.
        """
        about = read_mixture(path)
        given = components_of(components)
        parts = [_part_of(about, index, given) for index in range(len(about.parts))]
        if given is not components:
            given.check_used()
        made = cls(parts, about.weights, buckets=about.buckets, gate=about.gate is not None)
        if about.gate is not None:
            gate = gate_of(about.name, about.gate, len(parts), [bins for _, bins in made.dimensions])
            made.weighted = Weights(made.weighted.overall, gate=gate)
        number = math.prod(bins for _, bins in made.dimensions)
        if about.rows is not None:
            rows = np.tile(made.weighted.overall, (number, 1))
            for bucket, row in about.rows.items():
                if not 0 <= bucket < number:
                    message = f"{about.name} has weights for a bucket {bucket} that its models do not have"
                    raise FileFormatError(message, value=about.name)
                rows[bucket] = _weights(row, len(made.components))
            made.weighted = Weights(made.weighted.overall, rows)
        made.name, made.path = f"mixture:{label(Path(about.name).name)}", about.name
        return made

    def bundle(self, folder: Path, stem: str = "model") -> list[str]:
        """Write the mixture and the files of its components, each of which must have a file or a sufficient name."""
        files: list[str] = []
        parts: list[Model | Cache] = []
        for index, part in enumerate(self.components):
            kept = part
            if isinstance(part, Bundled) and part.needs_file:
                own = part.bundle(folder, f"part{index}")
                kept = _component(load_file(folder / own[0], Components()), index)
                files += own
            elif isinstance(part, Model) and not is_named(part):
                message = (
                    f"its component {part.name} has no file that could travel along; save the model, and give it to "
                    "whoever decodes (leave embed out: --embed)"
                )
                raise ModelError(message)
            parts.append(kept)
        final = folder / f"{stem}{SUFFIX}"
        write_mixture(tuple(parts), self.weighted, final, buckets=self.bucketed, gated=self.gated, force=False)
        return [f"{stem}{SUFFIX}", *files]

    @classmethod
    def unbundle(cls, folder: Path, name: str) -> MixtureModel:
        """The mixture from its files; it may name no other files than those beside it, and no models outside."""
        path = folder / cls.BUNDLE
        for part in read_mixture(path).parts:
            if part.kind == "reference":
                message = f"{name} is damaged: the mixture inside names {part.text!r:.60}, which did not come along"
                raise FileFormatError(message, value=name)
        made = cls.load(path)
        for component in made.components:
            if isinstance(component, Checked):
                component.verify()
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        kept = ("name", "path", "weighted", "bucketed", "gated", "dimensions", "fitted", "_oov")
        return _unpickled, (type(self), self.components, {name: vars(self)[name] for name in kept})

    # ---- as a model ----------------------------------------------------------------------------------------------

    @property
    def weights(self) -> tuple[float, ...]:
        """The weight of each component over all histories."""
        return tuple(self.weighted.overall.tolist())

    @property
    def units(self) -> Units:
        """Those of the components."""
        return self.vocabulary.units

    @property
    def traits(self) -> Traits:
        """What all components agree on."""
        caveats = dict.fromkeys(caveat for model in self._models for caveat in model.traits.caveats)
        size = self.vocabulary.size or None
        caches = len(self._models) < len(self.components)
        learns = caches or any(model.traits.learns for model in self._models)
        metered = any(model.traits.metered for model in self._models)
        return Traits(
            vocabulary=size, end=self._end, oov=self._oov_ways, caveats=tuple(caveats), learns=learns, metered=metered
        )

    @property
    def outcomes(self) -> Outcomes:
        """The outcomes that the components share."""
        own = self.vocabulary
        names = (lambda: own.names) if own.names else None
        return Outcomes(len(own.names) or own.size, lambda: own.ids, names, own.entries)

    @property
    def _end(self) -> End | None:
        """The end of a document, if all components predict it; a unit of the text, if it is that to all of them."""
        ends = [model.traits.end for model in self._models]
        if any(end is None for end in ends):
            return None
        known = [end for end in ends if end is not None]
        return End(known[0].id, all(end.is_unit for end in known))

    @property
    def _oov_ways(self) -> tuple[str, ...]:
        """What unknown words can cost."""
        ngrams = [model for model in self._models if isinstance(model, NGramLike)]
        if len(ngrams) < len(self._models) or not all(model.traits.oov for model in ngrams):
            return ()
        if not all(model.of_words for model in ngrams):
            return ("class",)
        return ("class", "spelled") if "spelled" in self._speller.traits.oov else ("class",)

    @property
    def _models(self) -> list[Model]:
        return [model for model in self.components if isinstance(model, Model)]

    @property
    def _speller(self) -> NGramLike:
        """The first model that can spell, or else the first."""
        ngrams = [model for model in self._models if isinstance(model, NGramLike)]
        if not ngrams:
            message = f"{self.name} has no n-gram model of words, so nothing is spelled"
            raise ModelError(message)
        return next((model for model in ngrams if "spelled" in model.traits.oov), ngrams[0])

    @property
    def spelling(self) -> _core.Spelling:
        """How unknown words are spelled: as by the first model that can."""
        return self._speller.spelling

    @property
    def machine(self) -> Machine:
        """Means and logarithms are numpy's; and what the components depend on."""
        found = dict(machine_of("numpy"))
        for model in self.components:
            found |= {} if isinstance(model, Cache) else model.machine
        return found

    @property
    def fingerprint(self) -> str:
        """Changes with anything that can change a probability."""
        content = hashlib.sha256(repr([_fingerprint(model) for model in self.components]).encode())
        content.update(self.weighted.overall.tobytes())
        content.update(b"" if self.weighted.rows is None else self.weighted.rows.tobytes())
        content.update(b"" if self.weighted.gate is None else self.weighted.gate.content())
        spelled = f"-{self.spelling.fingerprint():016x}" if self._oov == "spelled" else ""
        return f"mixture-{content.hexdigest()[:16]}-{self._oov}{spelled}"

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        """ln p of each unit given those before it; a cache goes on from document to document."""
        return self._session().logprobs(ids, bounds, continues=False)

    def predict(self, history: Ids) -> Floats:
        """ln p of every outcome after this history of one document; the probabilities sum to one."""
        numbers = np.asarray(history, dtype=np.int64)
        session = self._session()
        if len(numbers):
            session.logprobs(numbers, np.array([0, len(numbers)], dtype=np.int64), continues=False)
        return session.stepper().predict()

    def _session(self) -> MixtureSession:
        return MixtureSession(self, self.components, self.outcomes)

    def open(self, options: Options = Options()) -> Session:  # noqa: B008
        """Begin a text."""
        if self._oov == "spelled":
            return SpelledSession(self._session(), self.spelling, len(self.vocabulary.names))
        return self._session()

    def stepper(self) -> MixtureStepper:
        """Begin a document that comes unit by unit."""
        unigram = self.vocabulary.unigram if len(self._models) < len(self.components) else np.zeros(0)
        parts: list[Stepper] = []
        for part in self.components:
            if isinstance(part, Cache):
                parts.append(CacheStepper(part.begin(unigram), self.vocabulary))
            elif isinstance(part, Predictor):
                parts.append(part.stepper())
            else:
                message = (
                    f"{part.name} does not expose the distribution of the next unit, so neither does a mixture with it"
                )
                raise ModelError(message)
        return MixtureStepper(self, parts, last_units(self))

    def coder(self, watch: CodeWatch | None = None) -> Coder:
        """Unit by unit; unknown words are spelled."""
        if isinstance(self.units, Words):
            names = self.vocabulary.names
            return SpelledCoder(self.name, self.stepper(), names, self.spelling, self.units.separators, watch)
        return StepwiseCoder(self.name, self.units, self.outcomes, self.stepper(), watch)

    def for_bytes(self) -> Self:
        """With unknown words spelled; where no component has learned spelling, an error says so."""
        return self.with_oov("spelled") if isinstance(self.units, Words) else self

    def with_oov(self, way: str) -> Self:
        """The same mixture with another cost for unknown words."""
        other = copy.copy(self)
        other._oov = choice(way, "oov", ("none", "class", "spelled"))
        if way == "spelled":
            _ = self.spelling  # says what is missing
        return other

    def unknown(self, ids: Ids) -> Bools:
        """Which units no component knows."""
        return self.vocabulary.unknown(ids)

    def without_unknown(self, ids: Ids, logs: Floats) -> Floats:
        """Unknown words are impossible unless their class or spelling is asked for."""
        if self._oov != "none":
            return logs
        return np.where(self.unknown(ids), -np.inf, logs)

    def __repr__(self) -> str:
        parts = ", ".join(f"{w:.3f} {m.name}" for w, m in zip(self.weights, self.components, strict=True))
        return f"<MixtureModel {parts}>"


def _unpickled(kind: type[MixtureModel], components: tuple[Model | Cache, ...], state: dict[str, Any]) -> MixtureModel:
    made = kind(components)
    vars(made).update(state)
    return made


def _component(model: Any, index: int) -> Model | Cache:
    if isinstance(model, Cache):
        return model
    if is_cache_name(model):
        return Cache.parse(model)
    found = resolve(model)
    if isinstance(found, Compressor):
        message = f"models[{index}] is {found.name!r:.60}, which cannot be mixed: it gives only a total"
        raise ModelError(message, value=model, index=index)
    if isinstance(found, MixtureModel):
        message = f"models[{index}] is a mixture; give its components instead"
        raise ModelError(message, value=model, index=index)
    if not found.traits.is_distribution:
        message = f"models[{index}] is {found.name}, whose scores do not sum to one; only distributions can be mixed"
        raise ModelError(message, value=model, index=index)
    return found.with_oov("class") if isinstance(found, NGramLike) and found.traits.oov else found


def _part_of(about: MixtureFile, index: int, given: Components) -> Model | Cache:
    """The component that a file names; what was given goes before what lies in the folder."""
    part = about.parts[index]
    if part.kind == "name":
        found = _component(part.text, index)
    elif (match := given.model(lambda model: _matching(model, index, part))) is not None:
        return match
    elif part.kind == "file":
        found = _component(load_file(about.folder / part.text, given), index)
    else:
        others = f" The models given are {given.listed()}." if given else ""
        message = (
            f"{about.name} refers to a model by its fingerprint, {part.fingerprint:.100} (component {index}, labelled "
            f"{part.text!r:.60}).{others} A file may load models of its own folder only, so this one has to be given: "
            f"{GIVE}"
        )
        raise ModelError(message, value=part.fingerprint)
    if _fingerprint(found) != part.fingerprint:
        message = (
            f"{about.name} was fitted with another model than {found.name}: component {index} has the fingerprint "
            f"{_fingerprint(found)}, not {part.fingerprint:.100}; fit it again with: bitmeter mix"
        )
        raise FileFormatError(message, value=about.name)
    return found


def _matching(model: Model, index: int, part: Part) -> Model | None:
    """A model as a component, if it is the one that a file refers to."""
    found = _component(model, index)
    if isinstance(found, Cache) or found.fingerprint != part.fingerprint:
        return None
    return found if part.units in (None, found.units.fingerprint) else None


def _fingerprint(model: Model | Cache) -> str:
    return model.name if isinstance(model, Cache) else model.fingerprint


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


def _perplexity(logs: Floats) -> float:
    mean = -float(logs.mean())
    return math.inf if mean > 700.0 else math.exp(mean)


def is_model_path(path: str) -> bool:
    """Whether a path is that of a mixture, by its name."""
    return path.endswith(SUFFIX)


load_path = MixtureModel.load


def _load(rest: str) -> MixtureModel:
    if not rest:
        message = "mixture needs a file: mixture:mix.bmx; make one with: bitmeter mix"
        raise ModelError(message, value=rest)
    return MixtureModel.load(Path(rest))


SCHEMES = (Scheme("mixture", "mixture:FILE", "several models as one: .bmx (or the path alone)", _load),)
