"""SIGINT: ends the user's code, never the kernel's own.

The handler walks the stack. In the user's code it raises KeyboardInterrupt at once. In the kernel's own code (half a
message written) it is held until that returns (`surface`), and the io thread sends the signal again a moment later, until
it meets the user's code or the cell has ended. A flag is not enough: the kernel's code runs below and above the user's.
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
    """Owned by the main thread. Armed from the moment at which a cell is announced, `running` while it is on the stack."""

    def __init__(self):
        self.running = False
        self.held = False
        self.wake = None
        self._armed = False
        self._waiting_code = None
        self._cancel = None
        self._main = threading.get_ident()

    def install(self):
        """Takes SIGINT, also back from a cell that has put a handler of its own."""
        if signal.getsignal(signal.SIGINT) != self.handle:
            signal.signal(signal.SIGINT, self.handle)

    def arm(self):
        """Before a cell is announced: who sees it announced may interrupt it."""
        self.install()
        self.held = False
        self._armed = True

    def start(self):
        """The user's code comes now. Raises KeyboardInterrupt when it was interrupted before."""
        self.running, self._armed = True, False
        if self.held:
            self.surface()

    def stop(self):
        self.running = self._armed = self.held = False

    def handle(self, _signal, frame):
        if not self.running:
            self.held = self._armed
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
        self.wake()

    def cancel_waiting(self, code, cancel):
        """While the kernel's function with this code waits for an event loop, an interrupt cancels instead of raising."""
        self._waiting_code, self._cancel = code, cancel

    def surface(self):
        """Raises a held interrupt where the kernel's code has done its work and returns to the user's."""
        if self.running and threading.get_ident() == self._main:
            self.held = False
            raise KeyboardInterrupt

    def try_again(self):
        """From the io thread: sends a held signal once more."""
        if self.running:
            self.held = False
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
