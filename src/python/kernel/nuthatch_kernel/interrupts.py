"""SIGINT: ends the user's code, never the kernel's own, and is not lost.

The handler walks the stack. In the user's code it raises KeyboardInterrupt at once. In the kernel's own code (half a
message written) it is held until that returns (`surface`), and the io thread sends the signal again a moment later, until
it meets the user's code or the cell has ended. A flag is not enough: the kernel's code runs below and above the user's.
A signal that comes just before a blocking call waits there for ever; the io thread hears of each by the wake-up pipe, and
sends one that was not handled again.

`_signal` has all that is needed of `signal`, without its milliseconds.
"""

import _signal as signal
import _thread
import time
from sys import _getframe, modules

from .imports import FOLDER, is_library

RECENTLY = 0.01
LONGEST_PAUSE = 1

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
        #: The main thread waits for a request.
        self.idle = False
        #: Signals with a handler of the user's that came in the middle of the kernel's code, and that handler.
        self.put_off = {}
        self.forked = False
        self.wake = None
        self.wake_descriptor = -1
        self._armed = False
        self._waiting_code = None
        self._cancel = None
        self._main = _thread.get_ident()
        self._arrived = self._handled = self._own = 0
        self._arrived_at = self._handled_at = 0.0
        self._sent_at, self._pause = 0.0, RECENTLY

    def install(self):
        """Takes SIGINT, also back from a cell that has put a handler of its own."""
        if signal.getsignal(signal.SIGINT) != self.handle:
            signal.signal(signal.SIGINT, self.handle)
        signal.set_wakeup_fd(self.wake_descriptor, warn_on_full_buffer=False)

    def arm(self):
        """Before a cell is announced: who sees it announced may interrupt it."""
        if "signal" in modules:  # else nobody can have taken it
            self.install()
        self.held = False
        self._arrived = self._handled = self._own = 0
        self._handled_at = self._sent_at = 0.0
        self._armed = True

    def start(self):
        """The user's code comes now. Raises KeyboardInterrupt when it was interrupted before."""
        self.running, self._armed = True, False
        if self.held:
            self.surface()

    def stop(self):
        self.running = self._armed = self.held = False
        self._sent_at = 0.0

    def handle(self, _signal, frame):
        self.note_handled()
        if not self.running:
            self.held = self._armed
            return
        owner = _find_owner(frame)
        if owner is None or owner in _interruptible or self.forked:
            self.held = False
            raise KeyboardInterrupt
        if owner is self._waiting_code:
            self.held = False
            self._cancel()
            return
        self.held = True
        self.wake()

    def note_handled(self):
        """A SIGINT has been handled, here or by the user's own handler."""
        self._handled += 1
        self._handled_at = time.monotonic()
        self._sent_at, self._pause = 0.0, RECENTLY

    def may_raise(self, frame):
        """Whether an exception may come here: in the user's code, or where the kernel waits for it."""
        owner = _find_owner(frame)
        return owner is None or owner in _interruptible or owner is self._waiting_code or self.forked

    def put_off_signal(self, number, handler):
        """Until the kernel's code returns to the user's (`surface`), or the io thread sends it again to better luck."""
        self.put_off[number] = handler
        self.wake()

    def cancel_waiting(self, code, cancel):
        """While the kernel's function with this code waits for an event loop, an interrupt cancels instead of raising."""
        self._waiting_code, self._cancel = code, cancel

    def surface(self):
        """Raises a held interrupt where the kernel's code has done its work and returns to the user's, and calls the handlers
        that were put off."""
        if not self.running or _thread.get_ident() != self._main:
            return
        for number, guarded in self._take_put_off():
            guarded.handler(number, _getframe(1))
        if self.held:
            self.held = False
            raise KeyboardInterrupt

    def hold_again(self):
        """For an interrupt that was raised where nothing can be raised."""
        if self.running and _thread.get_ident() == self._main:
            self.held = True
            self.wake()

    def raise_for_child(self, status):
        """After a child process: its end by SIGINT is the user's interrupt, also where this process was busy then."""
        if self.held:
            self.surface()
        if status == -signal.SIGINT:
            self._handled = max(self._handled, self._arrived)
            raise KeyboardInterrupt

    def note_signals(self, woken):
        """In the io thread: bytes of the wake-up pipe, the number of each signal that has arrived among them."""
        count = woken.count(signal.SIGINT)
        own = min(count, self._own)
        self._own -= own
        if count > own:
            self._arrived += count - own
            self._arrived_at = time.monotonic()

    def is_unsettled(self):
        """Whether an interrupt is held, or has arrived without being handled yet, or a signal was put off."""
        is_open = self.held or self._sent_at or self._arrived > self._handled
        return bool(self.put_off) or self.running and bool(is_open)

    def try_again(self):
        """In the io thread, a moment later: sends such an interrupt once more, and until it is handled: it may come just before
        a blocking call too. Two that came as one stay one."""
        for number, handler in self._take_put_off():
            if signal.getsignal(number) is handler:
                self._own += number == signal.SIGINT
                signal.pthread_kill(self._main, number)
        if not self.running:
            return
        now = time.monotonic()
        if self._sent_at:
            if now - self._sent_at < self._pause:
                return
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
        elif not self.held:
            is_lost = self._arrived > self._handled and self._handled_at < self._arrived_at - RECENTLY
            self._handled = max(self._handled, self._arrived)
            if not is_lost:
                return
        self.held = False
        self._sent_at = now
        self._own += 1
        signal.pthread_kill(self._main, signal.SIGINT)

    def _take_put_off(self):
        """One after the other, each for one thread alone."""
        while True:
            try:
                yield self.put_off.popitem()
            except KeyError:
                return


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
