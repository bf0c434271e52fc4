"""C's own stdout, as far as the user's C code uses it: by the line, so that it keeps its place among what Python prints."""

import sys

LINE_BUFFERED = 1  # _IOLBF of every C library in use


def adapt_ctypes(capture, ctypes):
    """Called with ctypes once it is imported: sets the buffering, and has cells end with an empty buffer."""
    library = ctypes.CDLL(None)
    stdout = ctypes.c_void_p.in_dll(library, "__stdoutp" if sys.platform == "darwin" else "stdout")
    library.setvbuf(stdout, None, LINE_BUFFERED, 0)
    flush = library.fflush
    capture.flush_native = lambda: flush(None)
