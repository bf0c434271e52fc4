"""write, append, replace, diff: what changes a file's text, and what has changed."""

import difflib
import re

from .calls import Count, Text, helper, note, say
from .excerpts import counted, say_lines
from .places import Place, name_of, read_text, text_of, to_path, write_text


@helper
def write(path, content, encoding="utf-8"):
    """Writes text or bytes to a file, and makes the folders that it needs. Returns its path."""
    place = to_path(path)
    note(path=str(path), created=not place.exists())
    size = _put(place, content, "w", encoding)
    note(bytes=size)
    say("wrote %s (%s)" % (path, counted(size, "byte")))
    return Place(place)


@helper
def append(path, content, encoding="utf-8"):
    """Adds text or bytes at the end of a file, which need not be there yet. Returns its path."""
    place = to_path(path)
    note(path=str(path), created=not place.exists())
    size = _put(place, content, "a", encoding)
    note(bytes=size)
    say("appended %s to %s" % (counted(size, "byte"), path))
    return Place(place)


@helper
def replace(path, old, new, regex=False, count=None):
    """Replaces `old` by `new` in a file, or in each of a list; `regex=True` takes a pattern and `\\1` in `new`, `count` limits it for each file. Returns how often. Prints the difference."""
    several = isinstance(path, (list, tuple))
    paths = list(path) if several else [path]
    note(**{"paths" if several else "path": [str(one) for one in paths] if several else str(path)})
    total, changed, shown = 0, 0, []
    for one in paths:
        before = read_text(to_path(one))
        after, found = _substitute(before, old, new, regex, count)
        total += found
        if after != before:
            changed += 1
            write_text(to_path(one), after)
            shown += _compare(before, after, str(one), str(one), 1)
    note(count=total, files=changed)
    if shown:
        say_lines(shown, 100)
    say("%s in %s" % (counted(total, "replacement"), counted(changed, "file") if several else path))
    return Count(total)


@helper
def diff(first, second, context=3):
    """Returns the unified difference of two files, or of texts that have line breaks; empty where they are the same. Prints it."""
    names = name_of(first), name_of(second)
    note(first=names[0], second=names[1])
    found = _compare(text_of(first), text_of(second), names[0], names[1], context)
    changed = [line[:1] for line in found[2:]]
    note(added=changed.count("+"), removed=changed.count("-"))
    say_lines(found or ["no differences"])
    return Text("".join(line + "\n" for line in found))


def _put(place, content, mode, encoding):
    """Writes, and gives the number of bytes."""
    if isinstance(content, str):
        content = content.encode(encoding)
    elif not isinstance(content, (bytes, bytearray, memoryview)):
        kind = type(content).__name__
        raise TypeError("content must be str or bytes, not %s; json.dumps(...) or str(...) makes text of it" % kind)
    place.parent.mkdir(parents=True, exist_ok=True)
    with open(str(place), mode + "b") as file:
        file.write(content)
    return len(content)


def _substitute(text, old, new, regex, count):
    if old == "":
        raise ValueError("the text to replace is empty")
    if regex:
        return re.subn(old, new, text, count=count or 0, flags=re.MULTILINE)
    found = text.count(old) if count is None else min(count, text.count(old))
    return text.replace(old, new, -1 if count is None else count), found


def _compare(before, after, first, second, context):
    """The lines of the unified difference; a text without a last line break says so."""
    shown = []
    for line in difflib.unified_diff(before.splitlines(True), after.splitlines(True), first, second, n=context):
        shown.append(line.rstrip("\r\n"))
        if not line.endswith(("\n", "\r")):
            shown.append("\\ No newline at end of file")
    return shown

