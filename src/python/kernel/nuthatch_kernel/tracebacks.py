"""Tracebacks that start in the user's cell and show its lines."""

import linecache

from .imports import FOLDER, import_standard


def remember_source(source, execution_count, run):
    """Gives a cell's source to everything that looks up lines; returns the file name that stands for it."""
    name = "<cell %d>" % execution_count
    if name in linecache.cache:
        name = "<cell %d.%d>" % (execution_count, run)
    lines = [line + "\n" for line in source.split("\n")]
    linecache.cache[name] = (len(source), None, lines, name)
    return name


def describe_error(error):
    """The `ename`, `evalue` and `traceback` of an error message."""
    traceback = import_standard("traceback")
    shown = _skip_kernel_frames(error.__traceback__)
    lines = "".join(traceback.format_exception(type(error), error, shown)).rstrip("\n").split("\n")
    return {"ename": type(error).__name__, "evalue": _text_of(error), "traceback": lines}


def _skip_kernel_frames(frames):
    while frames is not None:
        filename = frames.tb_frame.f_code.co_filename
        if not filename.startswith(FOLDER):
            return frames
        frames = frames.tb_next
    return None


def _text_of(error):
    try:
        return str(error)
    except Exception:
        return "<the text of this %s could not be made>" % type(error).__name__
