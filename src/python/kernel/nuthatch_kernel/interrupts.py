"""SIGINT: ends the user's code, never the kernel's own.

The handler walks the stack. In the user's code it raises KeyboardInterrupt at once. In the kernel's own code (half a
message written) it is held, and the io thread sends the signal again a moment later, until it meets the user's code or the
cell has ended. A flag is not enough: the kernel's code runs below and above the user's.
"""

import signal
import threading

from .imports import FOLDER, is_library

_interruptible = set()


def interruptible(function):
    """Marks a function of the kernel that waits, and that a KeyboardInterrupt may leave at any point."""
    _interruptible.add(function.__code__)
    return function


class Interrupts:
    """Owned by the main thread; `running` is true while a cell is on its stack."""

    def __init__(self, wake):
        self.running = False
        self.held = False
        self._waiting_code = None
        self._cancel = None
        self._wake = wake
        self._main = threading.get_ident()

    def install(self):
        """Takes SIGINT, also back from a cell that has put a handler of its own."""
        if signal.getsignal(signal.SIGINT) != self.handle:
            signal.signal(signal.SIGINT, self.handle)

    def handle(self, _signal, frame):
        if not self.running:
            return
        owner = _find_owner(frame)
        if owner is None or owner in _interruptible:
            self.held = False
            raise KeyboardInterrupt
        if owner is self._waiting_code:
            self.held = False
            self._cancel()
            return
        self.held = True
        self._wake()

    def cancel_waiting(self, code, cancel):
        """While the kernel's function with this code waits for an event loop, an interrupt cancels instead of raising."""
        self._waiting_code, self._cancel = code, cancel

    def try_again(self):
        """From the io thread: sends a held signal once more."""
        self.held = False
        if self.running:
            signal.pthread_kill(self._main, signal.SIGINT)


def _find_owner(frame):
    """The kernel's code object that the stack is in, or None for the user's. Library frames belong to their caller."""
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(FOLDER):
            return code
        if not is_library(code.co_filename):
            return None
        frame = frame.f_back
    return None
