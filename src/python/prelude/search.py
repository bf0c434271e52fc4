"""tree, find, grep: what there is below a folder. What nobody means is left out: hidden files, virtual environments, caches."""

import os
import re
from collections import namedtuple

from .calls import Items, Text, helper, note
from .excerpts import counted, say_lines
from .patterns import glob_pattern
from .places import Place, to_path

SKIPPED = frozenset(("node_modules", "__pycache__"))
BINARY_SAMPLE = 8192

Match = namedtuple("Match", "path line text")
Match.__doc__ = "A line that grep has found: its file, its number, its text."


@helper
def tree(path=".", depth=3, hidden=False):
    """Returns the folders and files below a folder as an indented text, `depth` levels of it. Prints it."""
    top = to_path(path)
    note(path=str(path))
    _need_folder(top, path)
    rows, counts = [str(path)], {"folders": 0, "files": 0}
    _draw(str(top), "", depth, hidden, rows, counts)
    rows.append("%s, %s" % (counted(counts["folders"], "folder"), counted(counts["files"], "file")))
    note(**counts)
    say_lines(rows)
    return Text("\n".join(rows) + "\n")


@helper
def find(pattern="*", path=".", type=None, hidden=False):
    """Returns the paths below a folder whose names match: `find("*.py", "src")`, with a slash from the folder on: `find("src/**/*.{js,ts}")`. `type` is "file" or "folder". Prints them."""
    note(pattern=pattern, path=str(path))
    if type not in (None, "file", "folder"):
        raise ValueError('type is "file" or "folder", not %r' % (type,))
    top = to_path(path)
    _need_folder(top, path)
    matches, whole = glob_pattern(pattern).match, "/" in pattern
    hidden = hidden or re.search(r"(^|/)\.[^./]", pattern) is not None
    found = []
    for entry, inside in _walk(str(top), hidden):
        wanted = type is None or (type == "folder") == entry.is_dir(follow_symlinks=False)
        if wanted and matches(inside if whole else entry.name):
            found.append(Place(top / inside))
    note(count=len(found))
    say_lines([str(place) for place in found] or ["nothing matches %s below %s" % (pattern, path)])
    return Items(found)


@helper
def grep(pattern, path=".", glob="*", ignore_case=False, literal=False, context=0, hidden=False):
    """Returns the lines that a regular expression matches, each with `.path .line .text`, in a file, a list of files, or the files below a folder whose names match `glob`. Prints them."""
    note(pattern=pattern, path=[str(one) for one in path] if isinstance(path, (list, tuple)) else str(path))
    search = re.compile(re.escape(pattern) if literal else pattern, re.IGNORECASE if ignore_case else 0).search
    found, rows, files = [], [], 0
    for place in _files_of(path, glob, hidden):
        lines = _lines_of(place)
        numbers = [index for index, line in enumerate(lines) if search(line)]
        found += [Match(Place(place), index + 1, lines[index]) for index in numbers]
        rows += _rows_of(place, lines, numbers, context)
        files += bool(numbers)
    note(count=len(found), files=files)
    say_lines(rows or ["nothing matches %s in %s" % (pattern, path)])
    return Items(found)


def _draw(folder, indent, depth, hidden, rows, counts):
    entries = _entries_of(folder)
    shown = [entry for entry in entries if hidden or not entry.name.startswith(".")]
    for entry in shown:
        last = entry is shown[-1]
        is_folder = entry.is_dir(follow_symlinks=False)
        name = entry.name + ("/" if is_folder else "")
        if entry.is_symlink():
            name += " -> " + os.readlink(entry.path)
        counts["folders" if is_folder else "files"] += 1
        deeper = is_folder and not _is_skipped(entry, hidden)
        cut = " …" if is_folder and (not deeper or depth <= 1) else ""
        rows.append(indent + ("└── " if last else "├── ") + name + cut)
        if deeper and depth > 1:
            _draw(entry.path, indent + ("    " if last else "│   "), depth - 1, hidden, rows, counts)


def _walk(folder, hidden, inside=""):
    """Entries below a folder in the order of their names, each with its path from there."""
    for entry in _entries_of(folder):
        if not hidden and entry.name.startswith("."):
            continue
        below = inside + entry.name
        yield entry, below
        if entry.is_dir(follow_symlinks=False) and not _is_skipped(entry, hidden):
            yield from _walk(entry.path, hidden, below + "/")


def _entries_of(folder):
    """A folder that cannot be read has none."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _is_skipped(entry, hidden):
    return not hidden and (entry.name in SKIPPED or os.path.exists(os.path.join(entry.path, "pyvenv.cfg")))


def _need_folder(top, path):
    if not top.is_dir():
        raise NotADirectoryError("%s is no folder" % path)


def _files_of(path, glob, hidden):
    if isinstance(path, (list, tuple)):
        return [to_path(one) for one in path if not to_path(one).is_dir()]
    top = to_path(path)
    if not top.is_dir():
        return [top]
    matches, whole = glob_pattern(glob).match, "/" in glob
    walked = _walk(str(top), hidden)
    return (top / inside for entry, inside in walked if entry.is_file() and matches(inside if whole else entry.name))


def _lines_of(place):
    """The lines of a text file; a file that holds none has none."""
    with open(str(place), "rb") as file:
        start = file.read(BINARY_SAMPLE)
        if b"\0" in start:
            return []
        return (start + file.read()).decode("utf-8", "replace").splitlines()


def _rows_of(place, lines, numbers, context):
    """Matches as `path:line: text`, the lines around them as `path-line- text`, and `--` between what lies apart."""
    if not context:
        return ["%s:%d: %s" % (place, index + 1, lines[index]) for index in numbers]
    matched = set(numbers)
    around = sorted({near for index in numbers for near in range(index - context, index + context + 1)})
    rows, last = [], None
    for index in (near for near in around if 0 <= near < len(lines)):
        if last is not None and index > last + 1:
            rows.append("--")
        sign = ":" if index in matched else "-"
        rows.append("%s%s%d%s %s" % (place, sign, index + 1, sign, lines[index]))
        last = index
    return rows
