"""A child made by os.fork() in a cell: it is no kernel. Its text goes to the file descriptors, and it never answers."""

import os
import sys

from .imports import import_standard


class Forks:
    """Knows whether this process is still the kernel."""

    def __init__(self, reactor, capture, streams):
        self._reactor = reactor
        self._capture = capture
        self._streams = streams
        self._kernel = os.getpid()
        self._left = self._warned = False
        os.register_at_fork(before=self._silence_warning, after_in_child=self._become_child)

    def _silence_warning(self):
        """The other thread that Python 3.12 warns of is the kernel's own, which a child does without."""
        if self._warned:
            return
        self._warned = True
        warnings = import_standard("warnings")
        warnings.filterwarnings("ignore", "This process .* is multi-threaded, use of fork", DeprecationWarning)

    def in_child(self):
        return os.getpid() != self._kernel

    def _become_child(self):
        if self._left:
            return
        self._left = True
        for stream in self._streams:
            stream.after_fork()
        self._reactor.leave()
        self._capture.leave()

    def leave(self, error):
        """Ends a child that came back from the user's code, as a script of its own would end."""
        status = 0
        if isinstance(error, SystemExit):
            status = _exit_status(error)
        elif error is not None:
            status = 1
            sys.__excepthook__(type(error), error, error.__traceback__)
        for stream in self._streams:
            stream.flush()
        os._exit(status)


def _exit_status(error):
    if error.code is None or isinstance(error.code, int):
        return (error.code or 0) & 0xFF
    sys.stderr.write("%s\n" % (error.code,))
    return 1
