"""Log-probabilities from a transformers network, fast and in bounded memory.

Sequences are packed into rows with a mask that keeps them apart, so that nothing is spent on padding, and attention is
computed for each alone. The body of the network runs once per row; its head and the normalisation run over a part of
the vocabulary or a few positions at a time, and only where an answer is wanted, so that logits never exist for a whole
row. What a network can take is found out by trying: where one of these would change a figure, attention is over the
whole row, rows are padded, or the network's own logits are used. What the answers to one question share, their context,
goes through a network once. Sequences of lengths that a network treats in different ways never meet. A
network that looks ahead is refused.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitmeter.errors import ModelError
from bitmeter.models.arithmetic import OWN
from bitmeter.models.causal.hf.causality import looks_ahead
from bitmeter.models.causal.hf.families import Family, Layout, Place, families, laid_out
from bitmeter.models.causal.hf.head import chosen, in_float64, is_linear
from bitmeter.models.causal.hf.kinds import not_causal
from bitmeter.models.causal.hf.lengths import Positions, lengths_of
from bitmeter.models.causal.hf.peers import as_peers
from bitmeter.models.causal.hf.rows import Row, groups, packed_rows, segments
from bitmeter.models.causal.logits import log_rows, log_sums
from bitmeter.models.outcomes import Details

if TYPE_CHECKING:
    import torch

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Logits that exist at once where they are wanted for the whole vocabulary: 32 MB of float32.
_LOGITS = 1 << 23
#: The largest difference between two ways that counts as rounding, as a share of the spread of the logits. Measured on
#: some thirty architectures: a right way differs by at most 3e-6 in float32 and 6e-3 in bfloat16, a wrong one by at
#: least 1e-4 (a convolution that leaks, in an untrained network) and 7e-2 (shifted positions). Most networks compute
#: softmax, rotary tables or states in float32 whatever their weights, so float64 has no threshold of its own.
_ROUNDING = 2e-5
_COARSE_ROUNDING = 2e-2
#: The same for one computation done twice, which differs by nothing at all; a cap on the logits makes 1e-4 and more.
_SAME = 1e-6
#: The tokens of a probe by which it is seen whether a network looks ahead.
_AHEAD = 24
#: Weights times tokens up to which a long probe is tried when a network is loaded: a few seconds.
_AFFORDABLE = {"cpu": 2e10, "other": 5e12}
#: What a pass through a network can raise where it cannot take what it is given: arguments that it does not know, types
#: that a kernel does not have, masks of another shape.
_CANNOT = (TypeError, ValueError, RuntimeError, IndexError, KeyError, AttributeError, NotImplementedError)


class Scorer:
    """Runs a network over sequences of tokens.

    Parameters
    ----------
    network
        A causal language model of transformers.
    row
        The tokens of a packed row.
    batch
        The tokens that go through the network at once: so many rows as fit, at least one.
    autocast
        The type to which operations are cast while the weights keep theirs; None for no casting.
    coarse
        Whether layers round to bfloat16 while the weights of the others are float32.
    name
        The model's, for messages.
    """

    def __init__(
        self,
        network: Any,
        *,
        row: int,
        batch: int,
        autocast: Any = None,
        coarse: bool = False,
        name: str = "the network",
    ) -> None:
        import torch

        self._torch = torch
        self._network = network.eval()
        self._name, self._autocast, self._coarse = name, autocast, coarse
        self.casts = autocast is not None
        self._device = network.get_input_embeddings().weight.device
        self._vocabulary = int(network.get_input_embeddings().weight.shape[0])
        config = network.config.get_text_config()
        self.lengths, self._positions = lengths_of(config), Positions(network)
        # Some networks have tables of just so many positions, whatever positions they are given.
        bounds = [size for size in (_most_positions(config), self.lengths.positions) if size]
        self._row, self._batch = min([row, *bounds]), max(row, batch)
        #: Kinds of lengths of which several sequences may be padded to one length: by the number of switches passed.
        self._together = {0}
        self._shape_logits: Callable[[torch.Tensor], torch.Tensor] | None = None
        self._in_parts = False
        self.packs = self.cuts = self.pads = False
        #: Whether sequences that begin alike can share their beginning.
        self.forks = False
        self._find_ways(config)

    # ---- what the network can take -------------------------------------------------------------------------------

    def _find_ways(self, config: Any) -> None:
        """Try the bare head, a part of it, padding and packing on a few tokens, and keep what changes nothing."""
        generator = np.random.default_rng(7)
        bound = min([9, *self.lengths.switches[:1], (_most_positions(config) or 10) - 1])
        longest = max(2, bound)
        probes = [generator.integers(0, self._vocabulary, size) for size in (max(2, longest - 4), longest)]
        with self._quiet():
            own = self._first_pass(probes)
            truth = [in_float64(rows) for rows in own]
            spread = max(float(rows.max() - rows.min()) for rows in truth)
            fine = self._autocast is None and not self._coarse and self._dtype in ("float32", "float64")
            allowed = (_ROUNDING if fine else _COARSE_ROUNDING) * spread
            logs = [rows.log_softmax(-1) for rows in truth]
            self._find_head(config, probes, own[0].dtype, logs, _SAME * spread, allowed)
            self.pads = self._tried(lambda: self._padded_logits(probes), logs, allowed)
            # On a GPU so many small calls may cost more than the square that they save.
            for cuts in (True, False) if self._device.type == "cpu" else (False,):
                self.cuts = cuts
                self.packs = self._tried(lambda: self._packed_logits(probes), logs, allowed)
                if self.packs:
                    break
        self.packs = self.packs and self._keeps_apart(probes)
        self.cuts = self.cuts and self.packs
        self._check_causal(config, generator, allowed)
        with self._quiet():
            # A coarser type rounds a shared beginning in another way than the same tokens by themselves.
            self.forks = fine and self.cuts and self._can_fork(probes[1], generator, allowed)
            self._try_lengths(config, generator, allowed)

    def _first_pass(self, probes: Sequence[Ints]) -> list[torch.Tensor]:
        try:
            return [self._own_logits(self._tensor(probe[None]))[0] for probe in probes]
        except _CANNOT as error:
            reason = " ".join(str(error).split())[:200]
            message = (
                f"{self._name} cannot be run in {self._dtype} on {self._device.type}: {type(error).__name__}: "
                f"{reason}. Try another type (,dtype=float32)"
            )
            raise ModelError(message, value=self._dtype) from error

    def _check_causal(self, config: Any, generator: np.random.Generator, allowed: float) -> None:
        """Refuse a network whose predictions change with what comes later."""
        size = min(_AHEAD, _most_positions(config) or _AHEAD)
        sizes = [size, *(switch + 4 for switch in self.lengths.switches if self._can_try(config, switch + 4))]
        for length in sizes:
            probe = generator.integers(0, self._vocabulary, length)

            def logits(ids: Ints) -> torch.Tensor:
                with self._cast():
                    return self._own_logits(self._tensor(ids[None]))[0]

            with self._torch.no_grad():
                ahead = looks_ahead(self._network, probe, logits, allowed)
            if ahead:
                raise not_causal(self._network.config, self._name)

    def _can_try(self, config: Any, length: int) -> bool:
        """Whether so long a probe is within the context, and affordable."""
        weights = sum(weight.numel() for weight in self._network.parameters())
        affordable = _AFFORDABLE["cpu" if self._device.type == "cpu" else "other"]
        return length <= (_most_positions(config) or length) and weights * length <= affordable

    def _try_lengths(self, config: Any, generator: np.random.Generator, allowed: float) -> None:
        """Beyond each switch: whether sequences may be padded there, and whether packed rows may be longer than it.

        Where that cannot be tried, each sequence goes by itself, and rows end at the switch.
        """
        switches = self.lengths.switches
        for number, switch in enumerate(switches, 1):
            end = switches[number] if number < len(switches) else switch + 5
            if self.lengths.scales is not None and switch >= self.lengths.scales:
                break  # there each length is of its own kind
            sizes = [switch + 2, min(switch + 5, end)]
            if self.pads and sizes[1] > sizes[0] and self._can_try(config, sizes[1]):
                probes = [generator.integers(0, self._vocabulary, size) for size in sizes]
                if self._tried(lambda: self._padded_logits(probes), self._logs(probes), allowed):  # noqa: B023
                    self._together.add(number)
        window = min(self.lengths.windows, default=self._row)
        if self.packs and self._row > window:
            sizes = [window // 2 + 1] * 3
            parts = [generator.integers(0, self._vocabulary, size) for size in sizes]
            affordable = self._can_try(config, sum(sizes))
            if not affordable or not self._tried(lambda: self._packed_logits(parts), self._logs(parts), allowed):
                self._row = window

    def _logs(self, probes: Sequence[Ints]) -> list[torch.Tensor]:
        return [in_float64(self._own_logits(self._tensor(probe[None]))[0]).log_softmax(-1) for probe in probes]

    def _tried(
        self,
        way: Callable[[], list[torch.Tensor]],
        logs: Sequence[torch.Tensor],
        allowed: float,
    ) -> bool:
        try:
            found = way()
        except _CANNOT:
            return False
        return _agree([in_float64(rows).log_softmax(-1) for rows in found], logs, allowed)

    def _keeps_apart(self, probes: Sequence[Ints]) -> bool:
        """Whether nothing flows from the first sequence of a packed row into the second.

        A state or a convolution that runs along the row, past any mask, may change figures by less than the rounding
        of bfloat16. The derivative by what does not flow is exactly zero, in every precision and on every processor.
        """
        leaves: list[torch.Tensor] = []

        def follow(_module: Any, _inputs: Any, output: torch.Tensor) -> torch.Tensor:
            leaves.append(output.detach().requires_grad_())
            return leaves[-1].clone()  # a network may scale it in place, which a leaf does not allow

        hook = self._network.get_input_embeddings().register_forward_hook(follow)
        try:
            with self._torch.enable_grad(), self._cast():
                second = self._packed_logits(probes)[1]
                slopes = self._torch.autograd.grad(second.logsumexp(-1).sum(), leaves[0])[0]
        # A kernel without a derivative, as for some quantised weights: the comparison of figures must do.
        except (RuntimeError, NotImplementedError):
            return True
        finally:
            hook.remove()
        return not bool(slopes[0, : len(probes[0])].any())

    def _can_fork(self, probe: Ints, generator: np.random.Generator, allowed: float) -> bool:
        """Whether three sequences that share a beginning have the same predictions as each by itself."""
        shared = max(1, len(probe) - 3)
        other = generator.integers(0, self._vocabulary, len(probe) - shared)
        probes = [probe, probe[:shared], np.concatenate((probe[:shared], other))]
        family = Family((0, 1, 2), shared)
        row = Row((0,), (0,), family.length(probes))
        self.forks = True

        def forked() -> list[torch.Tensor]:
            return [self._logits_of(states) for _, states in self._group_states([row], probes, [family])]

        return self._tried(forked, self._logs(probes), allowed) and self.forks

    def _padded_logits(self, probes: Sequence[Ints]) -> list[torch.Tensor]:
        rows = [Row((place,), (0,), len(probe)) for place, probe in enumerate(probes)]
        return [self._logits_of(states) for _, states in self._group_states(rows, probes)]

    def _packed_logits(self, probes: Sequence[Ints]) -> list[torch.Tensor]:
        begins = [0, *np.cumsum([len(probe) for probe in probes]).tolist()]
        row = Row(tuple(range(len(probes))), tuple(begins[:-1]), begins[-1])
        return [self._logits_of(states) for _, states in self._group_states([row], probes)]

    def _find_head(
        self,
        config: Any,
        probes: Sequence[Ints],
        kind: torch.dtype,
        logs: Sequence[torch.Tensor],
        same: float,
        allowed: float,
    ) -> None:
        """What the network does behind its body, and whether a part of the vocabulary can be had by itself."""
        for shape in _logit_shapes(config):
            try:
                bodies = [self._hidden(self._tensor(probe[None]), None, None)[0] for probe in probes]
                logits = [shape(self._head(body)) for body in bodies]
                found = [in_float64(rows).log_softmax(-1) for rows in logits]
            # There is no body (AttributeError), no head (None is called: TypeError), the body takes other
            # arguments (TypeError, ValueError), or gives another shape (RuntimeError, IndexError, KeyError).
            except _CANNOT:
                return  # a network without a separate head: its own logits are used, which were just computed
            if logits[0].dtype == self._torch.float64 != kind:
                return  # it rounds its logits to float32, whatever its weights
            if _agree(found, logs, same):
                self._shape_logits = shape
                break
        else:
            return
        head = self._network.get_output_embeddings()
        if is_linear(head):
            targets = [self._tensor(probe) for probe in probes]
            own = [rows.gather(1, ids[:, None].to(rows.device))[:, 0] for rows, ids in zip(logs, targets, strict=True)]
            # Parts of a third: the whole vocabulary would fit in one for so few tokens.
            step = -(-self._vocabulary // 3)
            parts = [chosen(body, ids, head, shape, step) for body, ids in zip(bodies, targets, strict=True)]
            self._in_parts = _agree([part.to(rows.device) for part, rows in zip(parts, own, strict=True)], own, allowed)

    @property
    def _dtype(self) -> str:
        return str(self._network.dtype).removeprefix("torch.")

    @contextlib.contextmanager
    def _quiet(self) -> Iterator[None]:
        """Without gradients, and with operations cast where that was asked for."""
        with self._torch.inference_mode(), self._cast():
            yield

    def _cast(self) -> contextlib.AbstractContextManager[Any]:
        if self._autocast is None:
            return contextlib.nullcontext()
        cast: contextlib.AbstractContextManager[Any] = self._torch.autocast(self._device.type, dtype=self._autocast)
        return cast

    # ---- running -------------------------------------------------------------------------------------------------

    def _tensor(self, ids: NDArray[Any]) -> torch.Tensor:
        return self._torch.from_numpy(np.ascontiguousarray(ids, dtype=np.int64)).to(self._device)

    def _head(self, hidden: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self._network.get_output_embeddings()(hidden)
        return found

    def _own_logits(self, ids: torch.Tensor, **given: Any) -> torch.Tensor:
        self._positions.restore()
        found: torch.Tensor = self._network(input_ids=ids, use_cache=False, **given).logits
        return found

    def _hidden(self, ids: torch.Tensor, mask: Any, positions: Any) -> torch.Tensor:
        given = {} if mask is None else {"attention_mask": mask}
        given |= {} if positions is None else {"position_ids": positions}
        self._positions.restore()
        found: torch.Tensor = self._network.base_model(input_ids=ids, use_cache=False, **given)[0]
        return found

    def _states(self, ids: torch.Tensor, mask: Any, positions: Any) -> torch.Tensor:
        """What the head is applied to: the body's output, or the network's own logits where there is no bare head."""
        if self._shape_logits is not None:
            return self._hidden(ids, mask, positions)
        given = {} if mask is None else {"attention_mask": mask}
        given |= {} if positions is None else {"position_ids": positions}
        return self._own_logits(ids, **given)

    def _logits_of(self, states: torch.Tensor) -> torch.Tensor:
        """Logits in float32, or float64 where the network has that."""
        logits = states if self._shape_logits is None else self._shape_logits(self._head(states))
        return logits if logits.dtype == self._torch.float64 else logits.float()

    def _packed_states(self, layout: Layout) -> torch.Tensor:
        """Packed rows through the network, attention by sequences where that is a gain."""
        mask, trunks = self._mask(layout), layout.trunks
        given = self._tensor(layout.ids), mask, self._tensor(layout.positions)
        if not self.cuts:
            return self._states(*given)
        from bitmeter.models.causal.hf.attention import Apart

        with Apart(mask, segments(layout.owner), trunks) as apart:
            states = self._states(*given)
        self.cuts = apart.calls > 0  # a network may compute attention by other means
        self.forks = self.forks and self.cuts and (apart.plain or not trunks)
        return states

    def _mask(self, layout: Layout) -> torch.Tensor:
        """A mask for each row: a token sees those before it of the same owner, and those that it shares."""
        torch = self._torch
        owners, above = self._tensor(layout.owner), self._tensor(layout.above)
        size = owners.shape[1]
        seen = owners[:, :, None] == owners[:, None, :]
        seen = (seen | (above[:, :, None] == owners[:, None, :])).tril_()
        kind = self._autocast or self._network.dtype
        mask = torch.zeros(seen.shape, dtype=kind, device=self._device)
        return mask.masked_fill_(~seen, torch.finfo(kind).min)[:, None, :size, :size]

    def _runs(
        self, inputs: Sequence[Ints], firsts: Sequence[int], *, alone: bool = False
    ) -> Iterator[tuple[list[tuple[int, torch.Tensor]], int]]:
        """The states of each sequence, several at a time, and how many are done.

        Lengths that the network treats in different ways are apart. Only the shortest kind is packed: what is longer
        than a window sees less than our mask says, so it must not come under one.
        """
        kinds: dict[tuple[int, int], list[int]] = {}
        for number, ids in enumerate(inputs):
            kinds.setdefault(self.lengths.kind(len(ids)), []).append(number)
        done = 0
        for kind in sorted(kinds, reverse=True):
            own = [inputs[number] for number in kinds[kind]]
            packs = self.packs and kind == (0, 0) and not alone
            together = [Family((place,)) for place in range(len(own))]
            if packs and self.forks:
                together = families(own, [firsts[number] for number in kinds[kind]], self._row)
            rows = packed_rows([family.length(own) for family in together], self._row, self._row if packs else 0)
            batch = self._batch if self.pads and kind[0] in self._together and not alone else 0
            for group in groups(rows, batch):
                states_of = self._group_states(group, own, together, as_it_is=alone)
                found = [(kinds[kind][place], states) for place, states in states_of]
                done += len(found)
                yield found, done

    def _group_states(
        self,
        group: list[Row],
        inputs: Sequence[Ints],
        together: Sequence[Family] | None = None,
        *,
        as_it_is: bool = False,
    ) -> list[tuple[int, torch.Tensor]]:
        """Rows of families through the network at once; sequences are by themselves where none are given.

        Attention is in whole blocks, as in packed rows, unless another tool's pass is wanted as it is.
        """
        found = [Family((place,)) for place in range(len(inputs))] if together is None else together
        layout = laid_out(group, found, inputs)
        if all(len(row.members) == 1 and not found[row.members[0]].shared for row in group):
            # What stands to the right is never seen: a plain causal pass is exact. With a mask, what fills a row
            # would see nothing at all in a layer of short sight, and give NaN to the next.
            from bitmeter.models.causal.hf.attention import Whole

            with contextlib.nullcontext() if as_it_is or not self.cuts else Whole():
                states = self._states(self._tensor(layout.ids), None, None)
        else:
            states = self._packed_states(layout)
        return [(place.member, self._states_at(states[place.row], place)) for place in layout.places]

    def _states_at(self, row: torch.Tensor, place: Place) -> torch.Tensor:
        """Those of one sequence: what it shares, and its own."""
        own = row[place.first : place.end]
        return self._torch.cat((row[place.begin : place.begin + place.shared], own)) if place.shared else own

    # ---- answers -------------------------------------------------------------------------------------------------

    @property
    def _chunk(self) -> int:
        return max(8, _LOGITS // self._vocabulary)

    def logprobs(
        self,
        sequences: Sequence[Ints],
        firsts: Sequence[int],
        watch: Callable[[int, int], object] | None = None,
        way: str = OWN,
        moved: list[float] | None = None,
    ) -> list[Floats]:
        """ln p(sequence[i] | sequence[:i]) for i from `first` to the end, for each sequence.

        With another way than our own, how far that moved each sum is added to `moved`.
        """
        torch = self._torch
        found: list[Floats] = [np.zeros(0)] * len(sequences)
        asked = [i for i, (ids, first) in enumerate(zip(sequences, firsts, strict=True)) if len(ids) > first]
        inputs = [sequences[i][:-1] for i in asked]
        with self._quiet():
            # Alone where another tool is followed: its shapes decide how it rounds.
            for group, done in self._runs(inputs, [firsts[i] for i in asked], alone=way != OWN):
                numbers = [asked[k] for k, _ in group]
                states = torch.cat([part[firsts[i] - 1 :] for i, (_, part) in zip(numbers, group, strict=True)])
                targets = self._tensor(np.concatenate([sequences[i][firsts[i] :] for i in numbers]))
                if way == OWN:
                    values = self._chosen(states, targets).cpu().numpy()
                else:
                    values = self._chosen_by(states, targets, way, moved).cpu().numpy()
                at = 0
                for i in numbers:
                    size = len(sequences[i]) - firsts[i]
                    found[i] = values[at : at + size]
                    at += size
                if watch is not None:
                    watch(done, len(asked))
        return found

    def _chosen(self, states: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """ln p of each target, by parts of the vocabulary or, where the head is one piece, by parts of the row."""
        if self._in_parts and self._shape_logits is not None:
            return chosen(states, targets, self._network.get_output_embeddings(), self._shape_logits)
        parts = zip(states.split(self._chunk), targets.split(self._chunk), strict=True)
        return self._torch.cat([self._chosen_of_all(*part) for part in parts])

    def _chosen_by(
        self, states: torch.Tensor, targets: torch.Tensor, way: str, moved: list[float] | None
    ) -> torch.Tensor:
        """The same as another tool computes it, from whole rows of logits."""
        found = []
        for part, ids in zip(states.split(self._chunk), targets.split(self._chunk), strict=True):
            logits = part if self._shape_logits is None else self._shape_logits(self._head(part))
            found.append(as_peers(logits, ids.to(logits.device), way))
            if moved is not None:
                moved.append(float((found[-1] - self._chosen_of_all(part, ids)).sum()))
        return self._torch.cat(found)

    def _chosen_of_all(self, states: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The target's logit less the logarithm of the sum, which float32 holds to 4e-8; log_softmax would not."""
        logits = self._logits_of(states)
        own = logits.gather(1, targets[:, None].to(logits.device))[:, 0]  # the head may be on another device
        top, rest = log_sums(logits)
        return (in_float64(own) - in_float64(top)) - in_float64(rest)

    def predictions(self, sequence: Ints, first: int) -> Iterator[Floats]:
        """Rows of ln p of every id in place of sequence[i], for i from `first` on, in float64."""
        for logs in self._log_rows(sequence, first):
            yield logs.cpu().numpy()

    def _log_rows(self, sequence: Ints, first: int) -> Iterator[torch.Tensor]:
        # Nothing is yielded in the mode: two such walks side by side would leave it on when they end.
        with self._quiet():
            states = self._states(self._tensor(sequence[None, :-1]), None, None)[0][first - 1 :]
        for at in range(0, len(states), self._chunk):
            with self._quiet():
                rows = log_rows(in_float64(self._logits_of(states[at : at + self._chunk])))
            yield rows

    def detailed(
        self, sequence: Ints, first: int, alternatives: int, names: tuple[bytes, ...]
    ) -> tuple[Floats, Details]:
        """ln p of each token from `first` on, and what else was likely."""
        columns: list[list[Any]] = [[], [], [], [], []]
        at = first
        for logs in self._log_rows(sequence, first):
            truth = self._tensor(sequence[at : at + len(logs)]).to(logs.device)
            at += len(logs)
            own = logs.gather(1, truth[:, None])
            top = logs.topk(min(alternatives, logs.shape[1]), dim=1)
            entropy = -self._torch.xlogy(logs.exp(), logs.exp()).sum(1)
            rows = (own[:, 0], entropy.clamp_(min=0.0), 1 + (logs > own).sum(1), top.indices, top.values)
            for column, row in zip(columns, rows, strict=True):
                column.append(row.cpu().numpy())
        values, entropies, ranks, places, likely = (np.concatenate(column) for column in columns)
        return values, Details(entropies, ranks.astype(np.int64), places.astype(np.int64), likely, names)

    def step(self, ids: Ints, cache: Any) -> tuple[Floats, Any]:
        """Go on from a cache by some tokens: ln p of every id as the next token, and the new cache."""
        with self._quiet():
            self._positions.restore()
            out = self._network(input_ids=self._tensor(ids[None]), past_key_values=cache, use_cache=True)
            logits = in_float64(out.logits[0, -1])
            return log_rows(logits).cpu().numpy(), out.past_key_values


def _agree(found: Sequence[torch.Tensor], wanted: Sequence[torch.Tensor], allowed: float) -> bool:
    return all(float((a - b).abs().max()) <= allowed for a, b in zip(found, wanted, strict=True))


def _logit_shapes(config: Any) -> list[Callable[[torch.Tensor], torch.Tensor]]:
    """What networks do to the head's output: a cap, a factor, nothing; by the operations of the networks themselves.

    What a configuration names comes first: a cap far above the logits changes them by little.
    """
    shapes: list[Callable[[torch.Tensor], torch.Tensor]] = []
    for name in ("final_logit_softcapping", "logits_soft_cap"):
        cap = getattr(config, name, None)
        if cap:
            shapes.append(lambda logits, cap=cap: (logits / cap).tanh() * cap)  # type: ignore[misc]
    factor, divisor = getattr(config, "logit_scale", None), getattr(config, "logits_scaling", None)
    if factor:
        shapes.append(lambda logits: logits * factor)
    if divisor:
        shapes.append(lambda logits: logits / divisor)
    return [*shapes, lambda logits: logits]


def _most_positions(config: Any) -> int | None:
    """How many positions a network has, where its configuration says so."""
    found = (getattr(config, name, None) for name in ("n_positions", "max_position_embeddings"))
    return next((size for size in found if isinstance(size, int) and size > 1), None)
