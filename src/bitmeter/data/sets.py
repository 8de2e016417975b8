"""get_set(): bring a public test set onto this machine, from its source or from a folder, and check its hash."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bitmeter._util.check import flag, shown
from bitmeter._util.files import as_path, replacing
from bitmeter._util.progress import Progress
from bitmeter.data.catalogue import SETS, KnownSet, Part
from bitmeter.data.fetching import download
from bitmeter.data.store import digest, folder_of, is_whole, record, stored_file
from bitmeter.errors import ChoiceError, DamagedSourceError, MissingSourceError, SourceError

__all__ = ["StoredSet", "get_set", "list_sets"]

#: The largest text that is unpacked.
_MOST = 1 << 31


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A test set on this machine.

    Attributes
    ----------
    name
        The name of the set.
    files
        Its files by what can be typed for them: "wikitext2:test".
    source
        Where it came from; "" if it was here.
    """

    name: str
    files: dict[str, Path]
    source: str


def list_sets() -> dict[str, KnownSet]:
    """The test sets that are known by name.

    Examples
    --------
    >>> import bitmeter as bm
    >>> bm.list_sets()["wikitext2"].names
    ['wikitext2:test', 'wikitext2:valid', 'wikitext2:train']
    """
    return dict(SETS)


def get_set(
    name: str,
    *,
    source: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> StoredSet:
    """Bring a test set onto this machine; its texts can then be scored by name.

    Parameters
    ----------
    name
        The name of a set, such as "wikitext2".
    source
        An address or a folder to take it from; by default the addresses of the catalogue. In a folder, the published
        file or single texts of it are found by their hash, whatever their names.
    force
        Store it again even if it is here.
    progress
        Called as bytes arrive.

    Returns
    -------
    StoredSet
        Its files, each with the hash that it should have.

    Raises
    ------
    SourceError
        If it cannot be fetched, or what came is another file.

    Examples
    --------
    >>> import bitmeter as bm
    >>> bm.get_set("paloma")
    Traceback (most recent call last):
    bitmeter.errors.MissingSourceError: paloma is not fetched by bitmeter: its files are given only to those who ...
    """
    base = name.partition(":")[0] if isinstance(name, str) else name
    if not isinstance(base, str) or base not in SETS:
        message = f"there is no test set {shown(name)}; known are {', '.join(SETS)}"
        raise ChoiceError(message, value=name)
    known, again = SETS[base], flag(force, "force")
    if known.gated:
        message = f"{known.name} is not fetched by bitmeter: {known.gated}"
        raise MissingSourceError(message, path=known.name)
    if name != base and name not in known.names:
        names = " or ".join(dict.fromkeys((base, *known.names)))
        message = f"{base} has no part {shown(name.partition(':')[2])}; type {names}"
        raise ChoiceError(message, value=name)
    if not again and all(is_whole(known, split, part) for split, part in known.parts.items()):
        return _stored(known, "")
    folder = folder_of(known)
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        if source is not None and not _is_address(source):
            return _from_folder(known, as_path(source))
        addresses = known.addresses if source is None else (_file_address(str(source), known),)
        return _from_address(known, addresses, progress)
    finally:
        for path in made:  # the innermost first; what was begun stays, so that a later call goes on
            if not any(path.iterdir()):
                path.rmdir()


def _is_address(source: str | os.PathLike[str]) -> bool:
    return isinstance(source, str) and source.startswith(("http://", "https://"))


def _file_address(address: str, known: KnownSet) -> str:
    """The address of the published file: as given, or below it."""
    if address.partition("?")[0].endswith(known.archive):
        return address
    return f"{address.rstrip('/')}/{known.archive}"


def _from_address(known: KnownSet, addresses: tuple[str, ...], progress: Progress | None) -> StoredSet:
    archive = folder_of(known) / f"fetched-{known.archive}"  # not the name of one of its texts
    failed: list[SourceError] = []
    for address in addresses:
        try:
            download(address, archive, known.sha256, known.size, progress)
        except SourceError as error:
            failed.append(error)
            continue
        try:
            _unpack(known, archive, address)
        finally:
            archive.unlink(missing_ok=True)
        return _stored(known, address)
    if len(failed) == 1:
        raise failed[0]
    listed = "; ".join(str(error) for error in failed)
    message = (
        f"{known.name} cannot be fetched: {listed}. If you have its files: bitmeter sets get {known.name} --from FOLDER"
    )
    raise SourceError(message, path=known.name)


def _from_folder(known: KnownSet, folder: Path) -> StoredSet:
    """Take a set from files on this machine, which are recognised by their hash."""
    if not folder.exists():
        message = f"there is no folder {folder}"
        raise MissingSourceError(message, path=str(folder))
    wanted = {part.sha256: split for split, part in known.parts.items() if part.sha256}
    sizes = {known.size, *(part.size for part in known.parts.values())}
    found: dict[str, str] = {}
    for path in _files(folder):
        if 0 not in sizes and path.stat().st_size not in sizes:
            continue
        sha256 = digest(path)
        if sha256 == known.sha256 and known.archive.endswith(".zip"):
            _unpack(known, path, str(path))
            return _stored(known, str(path))
        if sha256 in wanted:
            split = wanted[sha256]
            with replacing(stored_file(known, split), force=True) as beside:
                shutil.copyfile(path, beside)
            found[split] = sha256
    if not found:
        texts = ", ".join(part.member for part in known.parts.values() if part.sha256)
        message = (
            f"no file of {folder} has the hash of {known.name}: looked for {known.archive} and {texts}. A text that "
            "was changed in any byte is another text"
        )
        raise MissingSourceError(message, path=str(folder))
    record(known, found, str(folder))
    return _stored(known, str(folder))


def _files(folder: Path) -> Iterator[Path]:
    """The files of a folder and of the folders in it, in order."""
    if folder.is_file():
        yield folder
        return
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (path for name in sorted(names) if (path := Path(place) / name).is_file())


def _unpack(known: KnownSet, archive: Path, source: str) -> None:
    """Store the texts of a published file whose hash was checked."""
    found: dict[str, str] = {}
    if not known.archive.endswith(".zip"):
        ((split, _),) = known.parts.items()
        with replacing(stored_file(known, split), force=True) as beside:
            shutil.copyfile(archive, beside)
        record(known, {split: known.sha256}, source)
        return
    try:
        with zipfile.ZipFile(archive) as opened:
            for split, part in known.parts.items():
                found[split] = _unpack_part(known, opened, split, part)
    except (zipfile.BadZipFile, KeyError, NotImplementedError, EOFError) as error:
        message = f"{archive} cannot be unpacked: {error}"
        raise DamagedSourceError(message, path=str(archive)) from error
    record(known, found, source)


def _unpack_part(known: KnownSet, opened: zipfile.ZipFile, split: str, part: Part) -> str:
    members = [info for info in opened.infolist() if info.filename.rpartition("/")[2] == part.member]
    if len(members) != 1:
        message = f"{known.archive} has {len(members)} files {part.member}; it must have one"
        raise DamagedSourceError(message, path=known.archive)
    info = members[0]
    if info.file_size > (part.size or _MOST):
        message = f"{part.member} has {info.file_size:,} bytes, more than it should have"
        raise DamagedSourceError(message, path=known.archive)
    with replacing(stored_file(known, split), force=True) as beside:
        with opened.open(info) as inside, beside.open("wb") as outside:
            shutil.copyfileobj(inside, outside, 1 << 20)
        sha256 = digest(beside)
        if part.sha256 and sha256 != part.sha256:
            message = f"{part.member} of {known.archive} has the hash {sha256}, not {part.sha256}"
            raise DamagedSourceError(message, path=known.archive)
    return sha256


def _stored(known: KnownSet, source: str) -> StoredSet:
    files = {
        (f"{known.name}:{split}" if split else known.name): stored_file(known, split)
        for split in known.parts
        if stored_file(known, split).is_file()
    }
    return StoredSet(known.name, files, source)
