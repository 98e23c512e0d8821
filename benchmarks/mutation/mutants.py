"""What is broken on purpose: each mutant is the source of one module with one thing changed.

Most changes are Cosmic Ray's operators, one variant of each where it has many that say the same; two are ours: a call
that stands for itself is left out (most of what a journal does is such calls), and `in` turns into `not in`.

Not judged: what is said to a log, and what a record forbids those who use it (`frozen`, `slots`, `kw_only`), which the
type checker holds.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher

import cosmic_ray.plugins
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Example, Operator
from parso.python.tree import Keyword
from parso.tree import NodeOrLeaf

from benchmarks.mutation.breaking import Mutant

OPERATORS = (
    "AddNot",
    "ReplaceTrueWithFalse",
    "ReplaceFalseWithTrue",
    "ReplaceAndWithOr",
    "ReplaceOrWithAnd",
    "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak",
    "ReplaceUnaryOperator_Delete_Not",
    "NumberReplacer",
    "ExceptionReplacer",
    "RemoveDecorator",
    "ZeroIterationForLoop",
    *(f"ReplaceBinaryOperator_{pair}" for pair in ("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "BitOr_BitAnd")),
    *(
        f"ReplaceComparisonOperator_{pair}"
        for pair in (
            *("Eq_NotEq", "NotEq_Eq", "Lt_GtE", "Lt_LtE", "LtE_Gt", "LtE_Lt", "Gt_LtE", "Gt_GtE", "GtE_Lt", "GtE_Gt"),
            *("Is_IsNot", "IsNot_Is"),
        )
    ),
)
UNTESTED_CALLS = ("log.", "_log.", "self.stdout.")  # what is said to a log is no behaviour that a test must hold

IN_AND_NOT_IN = (["in"], ["not", "in"])


class LeaveOutCall(Operator):
    """A call that stands as a statement of its own is not made."""

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        if _is_call_statement(node):
            yield node.start_pos, node.end_pos

    def mutate(self, node: NodeOrLeaf, index: int) -> NodeOrLeaf:
        return Keyword("pass", node.start_pos, prefix=node.get_first_leaf().prefix)

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return (Example("f(1)\n", "pass\n"),)


class SwapIn(Operator):
    """`in` and `not in`, which Cosmic Ray leaves alone."""

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        if node.parent is not None and node.parent.type == "comparison" and node.get_code().split() in IN_AND_NOT_IN:
            yield node.start_pos, node.end_pos

    def mutate(self, node: NodeOrLeaf, index: int) -> NodeOrLeaf:
        return Keyword("not in" if node.get_code().split() == ["in"] else "in", node.start_pos, prefix=" ")

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return (Example("a in b", "a not in b"), Example("a not in b", "a in b"))


def _is_call_statement(node: NodeOrLeaf) -> bool:
    if node.type != "atom_expr" or node.parent is None or node.parent.type != "simple_stmt":
        return False
    return node.children[-1].type == "trailer" and not node.get_code().strip().startswith(UNTESTED_CALLS)


def mutants_of(source: str) -> list[Mutant]:
    """Every mutant of a module whose meaning can differ, in the order of its lines."""
    original, found, seen = ast.dump(_stripped(source)), [], set()
    for name, operator in _operators():
        for occurrence in range(10_000):
            mutated = mutate_code(source, operator, occurrence)
            if mutated is None:
                break
            meaning = _meaning(mutated)
            if meaning is None or meaning == original or meaning in seen:
                continue
            seen.add(meaning)
            mutant = _mutant(name, source, mutated)
            if not (_allows_more(mutant) or _is_signature(mutant)):
                found.append(mutant)
    return sorted(found, key=lambda mutant: mutant.line)


def _operators() -> Iterator[tuple[str, Operator]]:
    for name in OPERATORS:
        yield name, cosmic_ray.plugins.get_operator(f"core/{name}")()
    yield "LeaveOutCall", LeaveOutCall()
    yield "SwapIn", SwapIn()


def _mutant(operator: str, source: str, mutated: str) -> Mutant:
    """With the first line whose words differ; a decorator that is gone takes its line's place."""
    old, new = (text.splitlines() for text in (source, mutated))
    for tag, start, end, other, _end in SequenceMatcher(None, _words(old), _words(new), autojunk=False).get_opcodes():
        if tag != "equal":
            after = new[other].strip() if tag == "replace" else ""
            return Mutant(operator, min(start, end) + 1, old[start].strip(), after, mutated)
    raise ValueError(f"{operator} changed nothing")


def _allows_more(mutant: Mutant) -> bool:
    """Whether only a record's users are forbidden less."""
    words = mutant.after.split(",") if mutant.after.startswith("@dataclass(") else []
    return any(f"{name}=False" in word.replace(" ", "") for name in ("frozen", "slots", "kw_only") for word in words)


def _is_signature(mutant: Mutant) -> bool:
    """Whether a bare `*`, behind which arguments are named, was taken for a product."""
    return mutant.operator == "ReplaceBinaryOperator_Mul_Div" and mutant.after == mutant.before.replace("*,", "/,", 1)


def _words(lines: list[str]) -> list[str]:
    return ["".join(line.split()) for line in lines]


def _meaning(source: str) -> str | None:
    try:
        return ast.dump(_stripped(source))
    except SyntaxError:
        return None


def _stripped(source: str) -> ast.Module:
    """The module without annotations, which `from __future__ import annotations` keeps from being evaluated."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    return tree
