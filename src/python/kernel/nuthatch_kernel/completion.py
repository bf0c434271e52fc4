"""Completion by what the objects really have: names, attributes, keys, modules, files and magics."""

import builtins
import glob
import inspect
import keyword
import os
import pkgutil
import re
import sys

from .imports import import_kernel
from .inspection import find_object

_IMPORT = re.compile(r"^\s*(?:import|from)\s+([\w.]*)$")
_FROM = re.compile(r"^\s*from\s+([\w.]+)\s+import\s+(?:[\w\s,]*,\s*)?(\w*)$")
_MAGIC = re.compile(r"^\s*(%{1,2})(\w*)$")
_KEY = re.compile(r"([A-Za-z_][\w.]*)\[(['\"])([^'\"\]]*)$")
_STRING = re.compile(r"(['\"])([^'\"\n]*)$")
_DOTTED = re.compile(r"([A-Za-z_][\w.]*)\.(\w*)$")
_ARGUMENT = re.compile(r"([A-Za-z_][\w.]*)\((?:[^()]*,)?\s*\w*$")
_WORD = re.compile(r"\w*$")


def answer_complete(interpreter, content):
    """The content of a complete_reply; offsets count characters."""
    code, cursor = content.get("code", ""), content.get("cursor_pos")
    cursor = len(code) if cursor is None else min(cursor, len(code))
    line = code[:cursor].rsplit("\n", 1)[-1]
    try:
        length, matches = find_matches(interpreter.namespace, line)
    except Exception:
        length, matches = 0, []
    return {
        "status": "ok",
        "matches": matches,
        "cursor_start": cursor - length,
        "cursor_end": cursor,
        "metadata": {"_jupyter_types_experimental": []},
    }


def find_matches(namespace, line):
    """How many characters of the line a match replaces, and the matches, sorted."""
    for pattern, find in _FINDERS:
        found = pattern.search(line)
        matches = None if found is None else find(namespace, found)
        if matches is not None:
            typed = found.group(found.lastindex or 0) if pattern is not _MAGIC else found.group(1) + found.group(2)
            return len(typed), matches
    return 0, []


def _magics(_namespace, found):
    magics = import_kernel("magics")
    names = sorted(name for name in magics.LINE if name.startswith(found.group(2)))
    cells = sorted(name for name in magics.CELL if name.startswith(found.group(2)))
    return ["%" + name for name in names if found.group(1) == "%"] + ["%%" + name for name in cells]


def _modules(_namespace, found):
    parent, _, start = found.group(1).rpartition(".")
    if not parent:
        names = {module.name for module in pkgutil.iter_modules()} | set(sys.builtin_module_names) | set(sys.modules)
        return _starting(start, (name for name in names if "." not in name))
    path = getattr(sys.modules.get(parent) or __import__(parent, fromlist=["_"]), "__path__", ())
    return ["%s.%s" % (parent, name) for name in _starting(start, (module.name for module in pkgutil.iter_modules(path)))]


def _members(_namespace, found):
    module = __import__(found.group(1), fromlist=["_"])
    names = set(dir(module)) | {one.name for one in pkgutil.iter_modules(getattr(module, "__path__", ()))}
    return _starting(found.group(2), names)


def _keys(namespace, found):
    value = find_object(namespace, found.group(1))
    keys = value.keys() if hasattr(value, "keys") else getattr(value, "columns", None)
    if keys is None:
        return None
    return [key for key in sorted(key for key in keys if isinstance(key, str)) if key.startswith(found.group(3))]


def _files(_namespace, found):
    typed = found.group(2)
    paths = sorted(glob.glob(glob.escape(os.path.expanduser(typed)) + "*"))
    if not paths:
        return None
    start = os.path.expanduser(typed)
    return [typed + path[len(start) :] + ("/" if os.path.isdir(path) else "") for path in paths]


def _attributes(namespace, found):
    value = find_object(namespace, found.group(1))
    return [name for name in _starting(found.group(2), dir(value))]


def _names(namespace, found):
    typed = found.group()
    names = set(namespace) | set(dir(builtins)) | set(keyword.kwlist)
    arguments = _argument_names(namespace, found.string)
    return sorted(name + "=" for name in arguments if name.startswith(typed)) + _starting(typed, names)


def _argument_names(namespace, line):
    call = _ARGUMENT.search(line)
    if call is None:
        return []
    try:
        parameters = inspect.signature(find_object(namespace, call.group(1))).parameters.values()
    except Exception:
        return []
    return [one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]


def _starting(start, names):
    """Names that begin so; private ones only when an underscore was typed."""
    shown = (name for name in names if isinstance(name, str) and name.startswith(start))
    return sorted(name for name in shown if start or not name.startswith("_"))


_FINDERS = (
    (_MAGIC, _magics),
    (_FROM, _members),
    (_IMPORT, _modules),
    (_KEY, _keys),
    (_STRING, _files),
    (_DOTTED, _attributes),
    (_WORD, _names),
)
