"""How `scheme:name`, a file or an object becomes a model.

Our own families are named here and imported when one of their schemes is asked for, as those of other packages are.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from bitmeter._util.check import shown
from bitmeter._util.secrets import without_secrets
from bitmeter.errors import BitmeterError, InputTypeError, ModelError
from bitmeter.models.scheme import Scheme

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from bitmeter.models.components import Components
    from bitmeter.models.protocols import Bundled, Compressor, Model, Primable, PseudoScorer

__all__ = [
    "BrokenPlugin",
    "adapt",
    "components_of",
    "is_named",
    "load",
    "load_file",
    "names_model",
    "primed",
    "schemes",
    "survey_schemes",
    "unbundle",
    "unbundles",
]

#: The entry-point group by which other packages add schemes.
ENTRY_POINTS = "bitmeter.models"

#: The modules of our own schemes, in the order of `bitmeter models`; each has SCHEMES.
_FAMILIES = (
    "baseline.uniform",
    "baseline.kt",
    "universal.model",
    "ngram.model",
    "mixture.model",
    "causal.trained.model",
    "causal.hf.model",
    "causal.gguf.model",
    "causal.endpoint.model",
    "masked.model",
    "baseline.compressors",
)
#: Classes whose models travel in archives, by the name of their first file.
_BUNDLES = {
    "model.bmn": "ngram.model:NGram",
    "model.bmu": "universal.model:Universal",
    "model.bmx": "mixture.model:MixtureModel",
    "model.json": "causal.trained.model:Neural",
    "table.json": "baseline.table:TableModel",
}
#: Schemes whose models are made from their name alone, so that a file may name them.
NAMED = ("kt", "uniform", "universal")
#: Schemes of what is no model, but ranks sentences.
_PSEUDO = ("mlm",)
#: Bytes that are read to see whether a file begins as a model does.
_HEAD = 64
#: Schemes whose files may refer to models or tokenizers that the user gives, and their modules.
_REFERRING = {"ngram": "ngram.model", "mixture": "mixture.model"}


@dataclass(frozen=True, slots=True)
class BrokenPlugin:
    """A plug-in that cannot be used; reported only when its scheme is used."""

    name: str
    value: str
    reason: str


def _family(name: str) -> Any:
    return importlib.import_module(f"bitmeter.models.{name}")


def own_schemes() -> dict[str, Scheme]:
    """The schemes that bitmeter itself brings."""
    return {scheme.name: scheme for family in _FAMILIES for scheme in _family(family).SCHEMES}


def schemes() -> dict[str, Scheme]:
    """All schemes of this installation: ours, and what other packages add by the entry point `bitmeter.models`.

    Examples
    --------
    >>> schemes()["kt"].usage
    'kt'
    """
    return survey_schemes()[0]


def survey_schemes() -> tuple[dict[str, Scheme], tuple[BrokenPlugin, ...]]:
    """All schemes that can be used, and the plug-ins that cannot, with the reason."""
    found, broken = own_schemes(), []
    for name in sorted({entry.name for entry in _plugins()}):
        try:
            scheme = _plugin(name)
        except ModelError as error:
            values = ", ".join(entry.value for entry in _plugins(name))
            broken.append(BrokenPlugin(name, values, str(error)))
        else:
            found[name] = scheme
    return found, tuple(broken)


def _plugins(name: str | None = None) -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points  # slow to import

    found = entry_points(group=ENTRY_POINTS) if name is None else entry_points(group=ENTRY_POINTS, name=name)
    return tuple(found)


def _plugin(name: str) -> Scheme:
    """The scheme of the entry point of that name; nothing else is imported."""
    entries = _plugins(name)
    if name in own_schemes():
        message = f"the plug-in {name} ({entries[0].value}) has the name of a scheme of bitmeter, which goes first"
        raise ModelError(message, value=name)
    if len(entries) > 1:
        listed = " and ".join(f"{entry.value} of {_package(entry)}" for entry in entries)
        message = f"two plug-ins add the scheme {name!r}: {listed}; uninstall one of them"
        raise ModelError(message, value=name)
    entry = entries[0]
    where = f"the plug-in {name} ({entry.value} of {_package(entry)})"
    try:
        scheme = entry.load()
    except (Exception, SystemExit) as error:
        message = f"{where} cannot be imported: {type(error).__name__}: {error}"
        raise ModelError(message, value=name) from error
    if not isinstance(scheme, Scheme):
        message = f"{where} must name a bitmeter.Scheme; it is {scheme!r:.60}"
        raise ModelError(message, value=name)
    if scheme.name != name:
        message = f"{where} brings the scheme {scheme.name!r}; the entry point and the scheme must have one name"
        raise ModelError(message, value=name)
    return scheme


def _package(entry: EntryPoint) -> str:
    return "an unknown package" if entry.dist is None else str(entry.dist.name)


def adapt(what: Any) -> Model | Compressor:
    """A model of ours from an object: a Model, a Distribution or Conditional, or what another package wrote.

    Examples
    --------
    >>> import bitmeter as bm
    >>> adapt(bm.Distribution({"a": 0.5, "b": 0.5})).name
    'distribution(2 labels)'
    """
    from bitmeter.models.adapted import adapted
    from bitmeter.models.protocols import Compressor, Model

    if not isinstance(what, Model | Compressor):  # else the theory need not be imported
        from bitmeter.theory.conditional import Conditional
        from bitmeter.theory.distributions import Distribution

        if isinstance(what, Distribution | Conditional):
            model: Model = _family("baseline.table").TableModel(what)
            return model
    found = adapted(what)
    if found is None:
        message = (
            f"{what!r:.60} is not a model; give a name such as 'uniform', a Distribution, a Conditional, or an object "
            "with name, units, fingerprint and logprobs (a compressor: name, fingerprint and meter)"
        )
        raise InputTypeError(message, value=what)
    return found


def load(spec: Any, *, components: Any = ()) -> Any:
    """A model from `scheme:name` or a model's file, from a Distribution or a Conditional, or the model itself.

    Parameters
    ----------
    spec
        A string such as "universal", "kt" or "zstd:19"; the path of an n-gram model (.bmn or .arpa), of a universal
        one (.bmu) or of a mixture (.bmx); a Distribution or Conditional; or anything that is a model.
    components
        What the file refers to by fingerprint: the models of a mixture that do not lie in its folder, each as for
        `spec`, and the tokenizer of an n-gram model ("tokenizer:FILE"). Those that are not needed are an error.

    Returns
    -------
    Model or Compressor
        Something that `score` can measure.

    Examples
    --------
    >>> load("uniform").name
    'uniform:256'
    """
    given = components_of(components)
    found = resolve(spec, given)
    given.check_used()
    return found


def components_of(given: Any) -> Components:
    """Models and tokenizers from what a user names, to be found by what files refer to."""
    from bitmeter._util.check import items
    from bitmeter.models.components import Components
    from bitmeter.models.protocols import Model
    from bitmeter.text.units.base import Units

    if isinstance(given, Components):
        return given
    if isinstance(given, str | PurePath):
        message = f"components is {shown(given)}; it must be a list of models"
        raise InputTypeError(message, value=given)
    found: list[Model | Units] = []
    for one in items(given, "components", "a list of models"):
        if isinstance(one, Units):
            found.append(one)
        elif isinstance(one, str) and one.startswith(("tokenizer:", "sentencepiece:")):
            from bitmeter.text.units.named import units_of

            found.append(units_of(one))
        else:
            model = resolve(one)
            if not isinstance(model, Model):
                message = f"{model.name} gives only a total, so no file refers to it; leave it out"
                raise ModelError(message, value=model.name)
            found.append(model)
    return Components(found)


def resolve(spec: Any, components: Components | None = None) -> Model | Compressor:
    """As `load`, which users call: its type is Any, so that they need not say which model they expect."""
    if isinstance(spec, PurePath):
        spec = str(spec)
    if not isinstance(spec, str):
        return adapt(spec)
    from bitmeter.models.ngram.files import is_model_file

    if is_model_file(spec) and os.path.isfile(spec):  # fast path: the other families are not imported
        return _load_by(_family("ngram.model").NGram.load, spec, components)
    name, _, rest = spec.partition(":")
    if name in _PSEUDO:
        message = (
            f"{spec} is a masked model, which is no distribution over texts: it has no bits and no perplexity. It can "
            "rank sentences: bitmeter prefer (bm.prefer)"
        )
        raise ModelError(message, value=spec)
    own = own_schemes()
    if name in own:
        if components and name in _REFERRING:
            return _load_by(_family(_REFERRING[name]).load_path, rest, components)
        return _load_by(own[name].load, rest)
    if not _plugins(name):
        by_path = _by_path(spec)
        if by_path is not None and (":" not in spec or os.path.exists(spec)):
            return _load_by(by_path, spec, components)
        message = f"there is no model {without_secrets(spec)!r}{_similar(spec)} `bitmeter models` lists the models"
        raise ModelError(message, value=without_secrets(spec))
    return _from_plugin(_plugin(name), spec, rest)


def _similar(spec: str) -> str:
    """What may have been meant by the name of a model that does not exist."""
    from difflib import get_close_matches

    name, colon, rest = spec.partition(":")
    known = sorted({*own_schemes(), *(entry.name for entry in _plugins())})
    near = get_close_matches(name.lower(), known, 1, 0.7)
    if near:
        return f"; did you mean {without_secrets(f'{near[0]}{colon}{rest}')}?"
    if os.path.exists(spec):
        return ": there is such a file, but it is none of a model."
    if colon:
        return f": {name!r:.40} is no scheme; known are {', '.join(known)}."
    return f"; a model of Hugging Face is named hf:{spec:.80}, a file by its path (model.bmn, model.arpa)."


def resolve_any(spec: Any) -> Model | Compressor | PseudoScorer:
    """As `resolve`, and also what ranks sentences without being a distribution over texts."""
    from bitmeter.models.protocols import PseudoScorer

    if isinstance(spec, PseudoScorer):
        return spec
    name, _, rest = spec.partition(":") if isinstance(spec, str) else ("", "", "")
    if name in _PSEUDO:
        loaded: PseudoScorer = own_schemes()[name].load(rest)
        return loaded
    return resolve(spec)


def load_file(path: Path, components: Components) -> Model:
    """The model of a file or folder, by its content alone: no scheme, no address, no plug-in, and not a mixture."""
    from bitmeter.models.protocols import Model

    loader = None if str(path).endswith(".bmx") else _by_path(str(path))
    if loader is None:
        message = f"{path} is not an n-gram model, a universal one (.bmu), or the folder of a network"
        raise ModelError(message, value=str(path))
    found = _load_by(loader, str(path), components)
    assert isinstance(found, Model), "no compressor has a file"
    return found


def _load_by(loader: Callable[..., Any], rest: str, components: Components | None = None) -> Model | Compressor:
    refers = components and any(loader == _family(family).load_path for family in _REFERRING.values())
    found: Model | Compressor = loader(rest, components=components) if refers else loader(rest)
    return found


def _by_path(path: str) -> Callable[..., Any] | None:
    """What loads a model from its path alone; None where the path is not one of a model."""
    for family in ("ngram.model", "universal.model", "causal.trained.model", "mixture.model"):
        module = _family(family)
        if module.is_model_path(path):
            loader: Callable[..., Any] = module.load_path
            return loader
    return None


def names_model(word: str) -> bool:
    """Whether a word is `scheme`, `scheme:name` or the name of a model's file; the file need not be there.

    Examples
    --------
    >>> names_model("zstd:19"), names_model("model.bmn"), names_model("README.md")
    (True, True, False)
    """
    from bitmeter.models.ngram.files import is_model_file

    if is_model_file(word):  # fast path: the other families are not imported
        return True
    name = word.partition(":")[0]
    return _by_path(word) is not None or name in own_schemes() or bool(_plugins(name))


def begins_as_model(path: Path) -> bool:
    """Whether a file begins as a model of the kind that its name says; the rest is checked when it is loaded.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "model.bmu")
    ...     _ = file.write_bytes(b"something else")
    ...     begins_as_model(file)
    False
    """
    from bitmeter.models.ngram.kinds import holds_ngrams

    if path.suffix not in (".bmu", ".bmx"):
        return holds_ngrams(str(path))
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return head.startswith(_family("universal.model").MAGIC) if path.suffix == ".bmu" else head.lstrip()[:1] == b"{"


def is_named(model: Model | str) -> bool:
    """Whether a model's name says all of it: no file and no address is in it, and it makes the same model."""
    name = model if isinstance(model, str) else model.name
    scheme, _, rest = name.partition(":")
    if scheme not in NAMED or rest.isalnum() != bool(rest):
        return False
    return isinstance(model, str) or resolve(name).fingerprint == model.fingerprint


def primed(model: Any, text: Any) -> Primable:
    """A model after reading a text, if it is one that learns as it reads."""
    from bitmeter.models.protocols import Primable

    found = resolve(model)
    if not isinstance(found, Primable):
        message = f"{found.name} cannot read a text beforehand; prime universal, or train an n-gram model on the text"
        raise ModelError(message, value=found.name)
    return found.with_prime(text)


def unbundle(folder: Path, first: str, name: str) -> Model:
    """The model from the files of a bundle, of which `first` is the model's own; nothing in them is trusted."""
    if first not in _BUNDLES:
        message = f"{name} is damaged: the model inside is {shown(first)}, which is of no known kind"
        raise ModelError(message, value=first)
    model: Model = _bundled_class(first).unbundle(folder, name)
    return model


def unbundles(model: Bundled) -> bool:
    """Whether `unbundle` would make a model of this kind from its bundle: only our own classes are known to it."""
    return model.BUNDLE in _BUNDLES and isinstance(model, _bundled_class(model.BUNDLE))


def _bundled_class(first: str) -> Any:
    module, _, kind = _BUNDLES[first].partition(":")
    return vars(_family(module))[kind]


def _from_plugin(scheme: Scheme, spec: str, rest: str) -> Model | Compressor:
    """What a plug-in makes of a name: a model, or an error that says whose fault it is."""
    try:
        found = scheme.load(rest)
    except BitmeterError:
        raise
    except Exception as error:
        message = f"the plug-in {scheme.name} cannot load {spec!r}: {type(error).__name__}: {error}"
        raise ModelError(message, value=spec) from error
    try:
        return adapt(found)
    except InputTypeError as error:
        message = (
            f"the plug-in {scheme.name} made {found!r:.60} of {spec!r}, which is not a model: it needs name, units, "
            "fingerprint and logprobs, or name, fingerprint and meter"
        )
        raise ModelError(message, value=spec) from error
