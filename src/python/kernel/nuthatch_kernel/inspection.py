"""What is known of the object under the cursor, or behind `name?`."""

import builtins
import inspect
import re

from .imports import import_kernel

_NAME = re.compile(r"[A-Za-z_][\w.]*")
LONGEST = 4000


def answer_inspect(interpreter, content):
    """The content of an inspect_reply."""
    code, cursor = content.get("code", ""), content.get("cursor_pos")
    name = name_at(code, len(code) if cursor is None else cursor)
    bundle = describe_name(interpreter, name, content.get("detail_level", 0)) if name else None
    return {"status": "ok", "found": bundle is not None, "data": bundle or {}, "metadata": {}}


def name_at(code, cursor):
    """The dotted name at the cursor, else that of the call whose brackets the cursor is in."""
    for found in _NAME.finditer(code):
        if found.start() <= cursor <= found.end():
            rest = code[cursor : found.end()]
            return code[found.start() : cursor] + rest.split(".")[0] if cursor > found.start() else found.group().split(".")[0]
    depth = 0
    for position in range(min(cursor, len(code)) - 1, -1, -1):
        if code[position] == ")":
            depth += 1
        elif code[position] == "(" and depth:
            depth -= 1
        elif code[position] == "(":
            before = re.search(r"([A-Za-z_][\w.]*)\s*$", code[:position])
            return before and before.group(1)
    return None


def describe_name(interpreter, name, detail=0):
    """The bundle that describes a dotted name, or None when there is no such object."""
    if name.startswith("%"):
        return _describe_magic(name)
    try:
        value = find_object(interpreter.namespace, name)
    except Exception:
        return None
    return {"text/plain": "\n".join("%s: %s" % line for line in _describe(value, detail) if line[1] is not None)}


def find_object(namespace, name):
    """Follows a dotted name from the user's namespace or the built-ins. Raises as attribute access does."""
    first, *rest = name.rstrip(".").split(".")
    value = namespace[first] if first in namespace else getattr(builtins, first)
    for attribute in rest:
        value = getattr(value, attribute)
    return value


def _describe_magic(name):
    magics = import_kernel("magics")
    table = magics.CELL if name.startswith("%%") else magics.LINE
    found = table.get(name.lstrip("%"))
    return found and {"text/plain": inspect.getdoc(found) or name}


def _describe(value, detail):
    signature = _signature(value)
    if signature is not None:
        yield ("Signature", signature)
    yield ("Type", type(value).__name__)
    if not callable(value) and not inspect.ismodule(value):
        yield ("String form", _shorten(_guarded(lambda: str(value))))
        if hasattr(type(value), "__len__"):
            yield ("Length", _guarded(lambda: len(value)))
    yield ("File", _guarded(lambda: inspect.getfile(value if _has_file(value) else type(value))))
    source = _guarded(lambda: inspect.getsource(value)) if detail else None
    if source:
        yield ("Source", "\n" + source)
    else:
        yield ("Docstring", "\n" + (_guarded(lambda: inspect.getdoc(value)) or "<no docstring>"))


def _has_file(value):
    return inspect.ismodule(value) or inspect.isclass(value) or inspect.isroutine(value)


def _signature(value):
    if not callable(value):
        return None
    name = getattr(value, "__name__", type(value).__name__)
    found = _guarded(lambda: str(inspect.signature(value)))
    return name + found if found else None


def _guarded(read):
    try:
        return read()
    except Exception:
        return None


def _shorten(text):
    return text if text is None or len(text) <= LONGEST else text[:LONGEST] + "..."
