"""The same screen of hundreds of records, each a node of its own that says whose it is: which of them is shown."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.fitting import Judge
from benchmarks.readings import Read
from benchmarks.worlds import Fold, Sight, World, reference
from execution.matching import Matcher, Reference
from execution.matching.calibration import Calibration
from execution.matching.sheet import key_of
from execution.types import TextLine
from workflows.graph import GraphSpec, NodeSpec

TWINS = 3  # of each page, with other records
_KINDS = ("moved", "resized", "theme", "icons", "font", "scale", "remote", "order", "scrolled")  # the record stays
_LETTERS = 6  # of the text that says whose it is
_NAMES = ("Kerguelen, Ysolde", "Brzezinski, Anatol", "Oyelaran, Temitope")


class LookAlikes:
    """The pages of `drift`, each with twins that differ by the text which says whose record it is, and declare it."""

    def __init__(self, world: World, *, window: bool) -> None:
        self.world, self.window = world, window
        self.asked = self.right = self.wrong = self.false = 0
        self.own = {name: line for name, read in world.taught.items() if (line := _record(world, name, read))}
        self.nodes, self.references, self.variables = list[NodeSpec](), dict[str, Reference](), dict[str, str]()
        for name, line in self.own.items():
            read = world.taught[name]
            for number, text in enumerate((line.text, *_NAMES[:TWINS])):
                self._add(f"{name}#{number}" if number else name, _with(read, line, text), text)

    def _add(self, name: str, read: Read, text: str) -> None:
        variable = f"record{len(self.nodes)}"
        self.nodes.append(NodeSpec(node_id=name, name=name, texts=(f"{{{{{variable}}}}}",), picture=read.digest))
        self.references[name] = reference(read, window=self.window)
        self.variables[variable] = text

    def ask(self, fold: Fold, fitted: Calibration) -> None:
        """Show every screen of the fold: as it is, and as if its record were nobody's node."""
        graph = GraphSpec(workflow_id="bench", name="bench", learning_state="COACHING", nodes=tuple(self.nodes))
        matcher = Matcher(graph, pictures=None, embedder=None, references=self.references)
        matcher.fusion = Judge(self.references, fitted=fitted)
        for sight in self.world.seen:
            if fold.holds(sight) and sight.kind in _KINDS and sight.node in self.own and self._shows(sight):
                self._show(sight, matcher)

    def _shows(self, sight: Sight) -> bool:
        """Whether the record is on it, as far as the reader says: one that scrolled away is nobody's to tell."""
        key = key_of(self.own[sight.node].text)
        return any(key == key_of(line.text) for line in sight.read.texts)

    def _show(self, sight: Sight, matcher: Matcher) -> None:
        state = sight.read.state(window=self.window)
        self.asked += 1
        match = matcher.recognise(state, variables=self.variables).match
        self.right += match is not None and match.node_id == sight.node
        self.wrong += match is not None and match.node_id != sight.node
        nobody = {name: "Zsigmondy, Quirin" if text == self.own[sight.node].text else text
                  for name, text in self.variables.items()}  # fmt: skip
        self.false += matcher.recognise(state, variables=nobody).match is not None

    def figures(self, how: str) -> list[tuple[tuple[str, int, int], float | None, bool]]:
        """Each figure as its name, how many and of how many, with its goal and whether that is a limit from above."""
        among = f"of one of {len(self.nodes)} look-alikes, by its record{how}"
        return [
            ((f"right node {among}", self.right, self.asked), None, False),
            ((f"wrong and confident {among}", self.wrong, self.asked), 0.2, True),
            ((f"unknown {among}: a record of no node", self.asked - self.false, self.asked), 98.0, False),
        ]


def _record(world: World, name: str, read: Read) -> TextLine | None:
    """A line of the page that is written once and on no other."""
    if not any(sight.node == name and sight.part == "drift" for sight in world.seen):
        return None
    others = {key_of(t.text) for other, one in world.taught.items() if other != name for t in one.texts}
    keys = [key_of(line.text) for line in read.texts]
    alone = [
        line
        for line, key in zip(read.texts, keys, strict=True)
        if len(key) >= _LETTERS and keys.count(key) == 1 and key not in others and line.confidence > 0.95
    ]
    return alone[len(alone) // 2] if alone else None


def _with(read: Read, line: TextLine, text: str) -> Read:
    return replace(read, texts=tuple(replace(t, text=text) if t is line else t for t in read.texts))
