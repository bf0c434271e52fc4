"""read and lines: a file, or a part of it."""

from .calls import Items, Text, helper, note
from .excerpts import say_beginning, say_lines
from .places import name_of, read_text, text_of, to_path


@helper
def read(path, offset=1, limit=None, encoding="utf-8"):
    """Returns the text of a file, or `limit` lines of it from line `offset` on (negative: from the end). Prints its beginning."""
    note(path=str(path))
    text = cut_lines(read_text(to_path(path), encoding), offset, limit)
    note(characters=len(text), lines=len(text.splitlines()))
    say_cut(text, limit)
    return Text(text)


@helper
def lines(source, start=1, end=None):
    """Returns lines `start` to `end` of a file or a text as a list, without line ends; `lines(path, -20)`: the last 20. Prints them numbered."""
    note(path=name_of(source))
    found = text_of(source).splitlines()
    first = max(0, len(found) + start if start < 0 else start - 1)
    last = len(found) if end is None else len(found) + end + 1 if end < 0 else end
    chosen = found[first:last]
    note(start=first + 1, count=len(chosen), total=len(found))
    width = len(str(first + len(chosen)))
    say_lines(["%*d  %s" % (width, first + 1 + index, line) for index, line in enumerate(chosen)])
    return Items(chosen)


def cut_lines(text, offset=1, limit=None):
    """The lines from `offset` (from 1; negative from the end) on, `limit` of them, with their ends."""
    if offset == 1 and limit is None:
        return text
    found = text.splitlines(True)
    first = max(0, len(found) + offset if offset < 0 else offset - 1)
    return "".join(found[first : None if limit is None else first + max(0, limit)])


def say_cut(text, limit):
    """Prints what was read: all of it where so many lines were asked for."""
    if text == "":
        say_lines(["(empty)"])
    elif limit is None:
        say_beginning(text)
    else:
        say_lines(text.splitlines())
