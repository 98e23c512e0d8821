"""Putting a mutant in the place of a module that is imported already, everywhere it is used.

Functions keep their identity and get other code, so whoever imported them, wrapped them or bound them runs the mutant.
Values of the module's or a class's body are made anew and put where the old ones were.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

MISSING = object()


@dataclass(frozen=True, slots=True)
class Mutant:
    operator: str
    line: int  # of the first line that differs, from 1
    before: str
    after: str
    source: str  # of the whole module


class NotBreakable(Exception):
    """This mutant cannot be put in place while the program runs."""


def break_module(module: ModuleType, mutant: Mutant) -> None:
    """From now on `module` is the mutant, in this process. Raises NotBreakable."""
    path = module.__file__ or ""
    old = compile(Path(path).read_text(encoding="utf-8"), path, "exec")
    new = compile(mutant.source, path, "exec")
    changed = dict(_changed(old, new))
    _break_functions(path, {_key(code): other for code, other in changed.items() if code.co_flags & CO_OPTIMIZED})
    bodies = [(code, other) for code, other in changed.items() if not code.co_flags & CO_OPTIMIZED]
    if any(_own(code) != _own(other) for code, other in bodies):
        _break_bodies(module, new)


def _key(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _own(code: CodeType) -> tuple[Any, ...]:
    """What a body does itself, apart from what is defined in it."""
    values = tuple((type(c), c) for c in code.co_consts if not isinstance(c, CodeType))
    return code.co_code, values, code.co_names


def _changed(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    if old == new:
        return
    yield old, new
    inner = [[c for c in code.co_consts if isinstance(c, CodeType)] for code in (old, new)]
    for before, after in zip(*inner, strict=False):
        yield from _changed(before, after)


def _break_functions(path: str, codes: dict[tuple[str, int], CodeType]) -> None:
    if not codes:
        return
    gc.unfreeze()  # what the test session has set aside is looked through as well
    for function in [thing for thing in gc.get_objects() if type(thing) is FunctionType]:  # wakes no lazy object
        code = function.__code__
        if code.co_filename == path and _key(code) in codes:
            try:
                function.__code__ = codes[_key(code)]
            except ValueError as error:  # it closes over other names
                raise NotBreakable(str(error)) from None


def _break_bodies(module: ModuleType, new: CodeType) -> None:
    made = {**vars(module)}
    try:
        exec(new, made)
    except Exception as error:
        raise NotBreakable(f"{type(error).__name__}: {error}") from None
    for name, value in made.items():
        old = vars(module).get(name, MISSING)
        if old is value or name.startswith("__"):
            continue
        if isinstance(old, type) and isinstance(value, type):
            _break_class(old, value)
        elif isinstance(old, FunctionType) and isinstance(value, FunctionType):
            _break_function(module, name, old, value)
        elif not _same(old, value):
            _put_everywhere(name, old, value)


def _break_class(old: type, new: type) -> None:
    for name, value in vars(new).items():
        before = vars(old).get(name, MISSING)
        if isinstance(before, FunctionType) and isinstance(value, FunctionType):
            _take_defaults(before, value)
            if len(_layers(before)) != len(_layers(value)):
                setattr(old, name, value)
        elif type(before) is not type(value) or not (
            name.startswith("__") or _is_descriptor(value) or _same(before, value)
        ):
            try:
                setattr(old, name, value)
            except (AttributeError, TypeError):
                raise NotBreakable(f"{old.__name__}.{name} cannot be replaced") from None


def _is_descriptor(value: Any) -> bool:
    """A property or a slot: what it does is in functions, which have been broken already."""
    return hasattr(type(value), "__get__")


def _break_function(module: ModuleType, name: str, old: FunctionType, new: FunctionType) -> None:
    _take_defaults(old, new)
    if len(_layers(old)) != len(_layers(new)):
        _put_everywhere(name, old, new)


def _take_defaults(old: FunctionType, new: FunctionType) -> None:
    for before, after in zip(reversed(_layers(old)), reversed(_layers(new)), strict=False):
        before.__defaults__, before.__kwdefaults__ = after.__defaults__, after.__kwdefaults__


def _layers(function: FunctionType) -> list[FunctionType]:
    """A function and what it wraps, from the outermost decorator that says so to the innermost."""
    layers = [function]
    while isinstance(inner := getattr(layers[-1], "__wrapped__", None), FunctionType):
        layers.append(inner)
    return layers


def _same(old: Any, new: Any) -> bool:
    try:
        return type(old) is type(new) and (old == new or repr(old) == repr(new))
    except Exception:
        return False


def _put_everywhere(name: str, old: Any, new: Any) -> None:
    for module in list(sys.modules.values()):
        values = getattr(module, "__dict__", {})
        if values.get(name, MISSING) is old:
            values[name] = new
