"""Tracebacks that start in the user's cell and show its lines, in the words of IPython's plain ones."""

import os
import sys

from .imports import FOLDER, import_standard, is_library

_sources = {}
_CELL_LINE = r'^(\s*(?:\| *)*)File "<cell (\d+)(?:\.\d+)?>", line (\d+)(?:, in (.*))?$'


def remember_source(source, execution_count, run):
    """Gives a cell's source to everything that looks up lines; returns the file name that stands for it."""
    name = "<cell %d>" % execution_count
    if name in _sources:
        name = "<cell %d.%d>" % (execution_count, run)
    keep_source(name, source)
    return name


def keep_source(name, source):
    """Makes these the lines of a file name that stands for a cell."""
    lines = [line + "\n" for line in source.split("\n")]
    _sources[name] = (len(source), None, lines, name)
    if "linecache" in sys.modules:
        sys.modules["linecache"].cache[name] = _sources[name]


def adapt_linecache(linecache):
    """Called when linecache is imported, by whoever comes first: it gets all cells so far."""
    linecache.cache.update(_sources)


def forget_launcher():
    """Python 3.13 keeps the source of `-c`, and would show its lines for what a cell gives to `exec`."""
    linecache = sys.modules.get("linecache")
    if linecache is not None:
        linecache.cache.clear()
        getattr(linecache, "_interactive_cache", {}).clear()


def describe_error(error):
    """The `ename`, `evalue` and `traceback` of an error message. Never raises."""
    kind, value = type(error), _text_of(error)  # first: the library's own try would swallow an interrupt
    try:
        shown = _skip_kernel_frames(error.__traceback__)
        summary = import_standard("traceback").TracebackException(kind, error, shown)
        _hide_kernel_frames(summary, 0)
        text = "".join(summary.format())
        substitute = import_standard("re").sub
        lines = [substitute(_CELL_LINE, _rename, line) for line in text.rstrip("\n").split("\n")]
    except Exception:
        lines = ["%s: %s" % (kind.__name__, value)]
    return {"ename": kind.__name__, "evalue": value, "traceback": lines}


def _skip_kernel_frames(frames):
    """The traceback from the user's first frame on; what the kernel, its magics and an event loop added is left out."""
    first = frames
    while frames is not None:
        filename = frames.tb_frame.f_code.co_filename
        if not filename.startswith(FOLDER) and not is_library(filename):
            return frames
        frames = frames.tb_next
    while first is not None and first.tb_frame.f_code.co_filename.startswith(FOLDER):
        first = first.tb_next
    return None if first is not None and is_library(first.tb_frame.f_code.co_filename) else first


def _hide_kernel_frames(summary, depth):
    """Also below the user's code: magics that run code have frames of the kernel in the middle."""
    if summary is None or depth > 50:
        return
    shown, inside = [], False
    for frame in summary.stack:
        inside = _is_ours(frame.filename) or inside and is_library(frame.filename)
        if not inside:
            shown.append(frame)
    summary.stack[:] = shown
    for inner in (summary.__cause__, summary.__context__, *(getattr(summary, "exceptions", None) or ())):
        _hide_kernel_frames(inner, depth + 1)


def _is_ours(filename):
    """Code of the kernel, and of the helpers that Nuthatch gives to cells."""
    return filename.startswith(FOLDER) or os.path.basename(os.path.dirname(filename)) == "nuthatch_prelude"


def _rename(found):
    indent, cell, line, function = found.groups()
    place = "%sCell In[%s], line %s" % (indent, cell, line)
    return place if function in (None, "<module>") else "%s, in %s" % (place, function)


def _text_of(error):
    try:
        return str(error)
    except Exception:
        return "<the text of this %s could not be made>" % type(error).__name__
