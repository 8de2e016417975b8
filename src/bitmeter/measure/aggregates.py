"""The sums that a score keeps beside its totals: by document, along the text, and by window."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from bitmeter._util.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The format of a saved run.
SCHEMA = "bitmeter.score/1"
#: The counts of a score that are always there.
COUNTS = ("bytes", "chars", "words", "documents", "oov", "skipped", "invalid", "impossible")
#: The size of the smallest blocks along a text, in bytes.
FIRST_BLOCK = 64
#: The largest logarithm that a probability may have, rounding included.
LARGEST_LOG = 1e-9
#: What a figure can be divided by.
Per: TypeAlias = Literal["byte", "char", "word", "token", "document"]
PER: tuple[Per, ...] = ("byte", "char", "word", "token", "document")


class _Sums:
    """Parallel arrays; two are equal if all of their arrays are."""

    nats: NDArray[np.float64]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [f.name for f in fields(self)]  # type: ignore[arg-type]
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        return hash(self.nats.tobytes())


@dataclass(frozen=True, eq=False)
class DocumentSums(_Sums):
    """Sums and counts of each document, in the order of the text.

    In a text of more than a million documents, neighbours share a row: `sizes` says how many documents each row holds.
    Where documents belong together, such as the lines of an article, `clusters` has the number of the cluster of each
    row, and `kind` says what a cluster is. Clusters that may go on in another text, such as those of a source, have a
    hash of their name in `names`, one per cluster. `tool` has the sums of another tool in its own arithmetic, where its
    convention asks for them.
    """

    nats: NDArray[np.float64]
    bytes: NDArray[np.int64]
    chars: NDArray[np.int64]
    words: NDArray[np.int64]
    tokens: NDArray[np.int64]
    sizes: NDArray[np.int64] | None = None
    clusters: NDArray[np.int64] | None = None
    kind: str = ""
    names: NDArray[np.int64] | None = None
    tool: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.nats)

    def joined(self, other: DocumentSums) -> DocumentSums:
        """These documents followed by the other's."""
        if not len(self) or not len(other):
            return self if len(self) else other
        names = [f.name for f in fields(self) if f.name not in ("sizes", "clusters", "kind", "names", "tool")]
        columns: dict[str, Any] = {x: np.concatenate([getattr(self, x), getattr(other, x)]) for x in names}
        if self.sizes is not None or other.sizes is not None:
            columns["sizes"] = np.concatenate([self.documents, other.documents])
        if self.clusters is not None and other.clusters is not None and self.kind == other.kind:
            columns |= {"kind": self.kind, **_joined_clusters(self, other)}
        if self.tool is not None and other.tool is not None:
            columns["tool"] = np.concatenate([self.tool, other.tool])
        return DocumentSums(**columns)

    @property
    def documents(self) -> NDArray[np.int64]:
        """How many documents each row holds."""
        return np.ones(len(self), dtype=np.int64) if self.sizes is None else self.sizes


def _joined_clusters(first: DocumentSums, second: DocumentSums) -> dict[str, NDArray[np.int64]]:
    """The clusters of two texts, one after the other; those of one name are one."""
    assert first.clusters is not None
    assert second.clusters is not None
    begin = int(first.clusters.max(initial=-1)) + 1
    clusters = np.concatenate([first.clusters, second.clusters + begin])
    if first.names is None or second.names is None:
        return {"clusters": clusters}
    names, begins, numbers = np.unique(
        np.concatenate([first.names, second.names]), return_index=True, return_inverse=True
    )
    order = np.argsort(begins)  # names are counted as they come, as in one text
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return {"clusters": places[numbers.reshape(-1)][clusters], "names": names[order]}


@dataclass(frozen=True, eq=False)
class BlockSums(_Sums):
    """Costs of successive blocks of `size` bytes over the whole text; a unit belongs to the block where it starts.

    Where the text shows articles or chapters, `clusters` has the number of that in which each block starts, and `kind`
    says what they are. `tokens` has the tokens of each block that were scored; None where each byte is one, and in runs
    of earlier versions.
    """

    size: int
    nats: NDArray[np.float64]
    bytes: NDArray[np.int64]
    clusters: NDArray[np.int64] | None = None
    kind: str = ""
    tokens: NDArray[np.int64] | None = None

    def sizes(self, per: Per, count: int) -> list[float]:
        """The size of each block in what a figure is per, in all `count`: what was not scored is in neither.

        Characters and words are not counted by block: bytes stand for them.

        Examples
        --------
        >>> blocks = BlockSums(64, np.ones(2), np.array([64, 36]), tokens=np.array([10, 15]))
        >>> blocks.sizes("token", 25), blocks.sizes("word", 50)
        ([10.0, 15.0], [32.0, 18.0])
        """
        found = self.tokens if per == "token" and self.tokens is not None else self.bytes
        sizes = found.tolist()
        share = count / sum(sizes)
        return [size * share for size in sizes]


@dataclass(frozen=True, eq=False)
class WindowSums(_Sums):
    """Costs of the windows of a model with a bounded context: some tools average over windows."""

    nats: NDArray[np.float64]
    #: Sums of the squares of the tokens' costs.
    squares: NDArray[np.float64]
    tokens: NDArray[np.int64]
    #: 1 for the first window of a document, else 0.
    opening: NDArray[np.int64]

    def __bool__(self) -> bool:
        return True

    def joined(self, other: WindowSums) -> WindowSums:
        """These windows followed by the other's."""
        return WindowSums(*(np.concatenate([getattr(self, f.name), getattr(other, f.name)]) for f in fields(self)))
