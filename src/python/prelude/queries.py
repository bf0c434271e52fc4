"""Queries into JSON: a path of names and indexes, as in jq or JSONPath, and a few words after `|`."""

import json
import re

_STEP = re.compile(
    r"""(?:
      \.?\[\s*(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]
    | \.?\[\s*(?P<index>-?\d+)\s*\]
    | \.?\[\s*(?P<start>-?\d*)\s*:\s*(?P<end>-?\d*)\s*\]
    | \.?\[\s*(?P<all>\*?)\s*\]
    | \.(?P<star>\*)
    | \.?(?P<name>[^\W\d][\w-]*|"(?:[^"\\]|\\.)*")
    | \.?(?P<number>\d+)
    )""",
    re.VERBOSE,
)
_WORDS = {"keys": list, "length": len, "values": lambda value: list(value.values()), "first": lambda value: value[0]}
_WORDS["last"] = lambda value: value[-1]


def select(value, query):
    """What a query finds: `.rows[0].name`, `rows[-1]`, `rows[2:5]`, `rows[].name` for each of them, `.rows | length`.

    Raises ValueError where the query cannot be read, LookupError where the value has no such entry.
    """
    path, *words = [part.strip() for part in query.split("|")]
    for word in words:
        if word not in _WORDS:
            raise ValueError("the query %r: %r is none of %s" % (query, word, ", ".join(sorted(_WORDS))))
    found = _walk(value, _read_steps(path, query), "")
    for word in words:
        found = _WORDS[word](found)
    return found


def _read_steps(path, query):
    position, steps = 1 if path.startswith("$") else 0, []
    while position < len(path) and path[position:].strip() not in ("", "."):
        step = _STEP.match(path, position)
        if step is None:
            raise ValueError("the query %r cannot be read from %r on" % (query, path[position:]))
        steps.append(step)
        position = step.end()
    return steps


def _walk(value, steps, place):
    for number, step in enumerate(steps):
        kind, text = step.lastgroup, step.group(step.lastgroup)
        if kind in ("all", "star"):
            entries = value.values() if isinstance(value, dict) else value
            if not isinstance(value, (dict, list)):
                raise LookupError("%s is %s and has no entries" % (place or "the value", _kind(value)))
            return [_walk(entry, steps[number + 1 :], place + "[]") for entry in entries]
        if kind in ("start", "end"):
            value = _slice(value, step, place)
        elif kind == "index" or kind == "number" and isinstance(value, list):
            value = _index(value, int(text), place)
        else:
            value = _member(value, _unquoted(text), place)
        place += step.group(0).strip()
    return value


def _member(value, name, place):
    if isinstance(value, dict) and name in value:
        return value[name]
    there = "keys are %s" % ", ".join(list(value)[:20]) if isinstance(value, dict) else "it is %s" % _kind(value)
    raise LookupError("there is no %r in %s; %s" % (name, place or "the value", there))


def _index(value, index, place):
    if isinstance(value, list) and -len(value) <= index < len(value):
        return value[index]
    there = "it has %d entries" % len(value) if isinstance(value, list) else "it is %s" % _kind(value)
    raise LookupError("there is no entry %d in %s; %s" % (index, place or "the value", there))


def _slice(value, step, place):
    if not isinstance(value, (list, str)):
        raise LookupError("%s is %s, which has no parts" % (place or "the value", _kind(value)))
    start, end = (int(step.group(side)) if step.group(side) else None for side in ("start", "end"))
    return value[start:end]


def _unquoted(text):
    if text[:1] == '"':
        return json.loads(text)
    return text[1:-1] if text[:1] == "'" else text


def _kind(value):
    if value is None:
        return "null"
    return {dict: "an object", list: "a list", str: "text", bool: "a boolean"}.get(type(value), "a number")
