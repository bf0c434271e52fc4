"""A traceback that ends in the user's cell: how a helper came to its error is of no use there."""

import os
from types import TracebackType

FOLDER = os.path.dirname(__file__)
_OWNER = os.getpid()


def hide_helpers(error, shell):
    """Has IPython show the traceback without our frames; the bundled kernel leaves them out by itself."""
    show = getattr(getattr(shell, "InteractiveTB", None), "structured_traceback", None)
    if show is None or os.getpid() != _OWNER:  # a child process may have to pickle the error
        return
    try:
        error._render_traceback_ = lambda: show(type(error), error, _without_helpers(error.__traceback__), tb_offset=1)
    except AttributeError:  # an error that takes no attributes is shown whole
        pass


def _without_helpers(frames):
    """The entries outside of this package, each library entry below one of ours left out too."""
    kept, inside = [], False
    while frames is not None:
        filename = frames.tb_frame.f_code.co_filename
        inside = filename.startswith(FOLDER) or inside and filename.startswith(os.path.dirname(os.__file__))
        if not inside:
            kept.append(frames)
        frames = frames.tb_next
    below = None
    for entry in reversed(kept):
        below = TracebackType(below, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return below
