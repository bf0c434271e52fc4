"""The text form of a value: its repr, with long containers broken one item a line, as Jupyter users know it."""

WIDTH = 79
LONGEST = 1000  # items of one container
DEEPEST = 20

_BRACKETS = {list: "[]", tuple: "()", set: "{}", frozenset: ("frozenset({", "})"), dict: "{}"}


def pretty(value):
    """The `text/plain` of a value. What a `repr` raises is the caller's."""
    if type(value) not in _BRACKETS:
        text = repr(value)
        return text if isinstance(text, str) else str(text)
    try:
        return _fit(value, 0, 0, 0, [])
    except RecursionError:
        return repr(value)


def _fit(value, indent, used, depth, outer):
    """The text of a value that starts at a column; `used` is what must still fit behind it."""
    kind = type(value)
    brackets = _BRACKETS.get(kind)
    if brackets is None or kind.__repr__ is not _own_repr(kind):
        return repr(value).replace("\n", "\n" + " " * indent)
    if any(value is one for one in outer):
        return "%s...%s" % tuple(brackets)
    if not value and kind in (set, frozenset):
        return repr(value)
    if depth > DEEPEST:
        return repr(value)
    opening, closing = brackets
    if kind is tuple and len(value) == 1:
        closing = ",)"
    inner = indent + len(opening)
    items = _items(value, inner, depth, outer + [value])
    line = ", ".join(items)
    if len(line) + inner + len(closing) + used <= WIDTH and "\n" not in line:
        return opening + line + closing
    return opening + (",\n" + " " * inner).join(items) + closing


def _items(value, indent, depth, outer):
    ordered = _sorted(value) if isinstance(value, (set, frozenset)) else value
    items = []
    for count, item in enumerate(ordered):
        if count == LONGEST:
            items.append("...")
            break
        if isinstance(value, dict):
            key = _fit(item, indent, 0, depth + 1, outer)
            start = indent + len(key.rsplit("\n", 1)[-1]) + 2
            items.append("%s: %s" % (key, _fit(value[item], start, 1, depth + 1, outer)))
        else:
            items.append(_fit(item, indent, 1, depth + 1, outer))
    return items


def _sorted(values):
    try:
        return sorted(values)
    except Exception:
        return list(values)


def _own_repr(kind):
    return {list: list, tuple: tuple, set: set, frozenset: frozenset, dict: dict}[kind].__repr__
