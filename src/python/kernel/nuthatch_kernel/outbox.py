"""What the kernel has to say, in order: text of the streams and whole messages, from any thread.

Writers append and never touch a socket. Whoever holds the reactor's lock delivers: the io thread, or the main thread that
flushes. Above `LIMIT` a writer waits, so a slow reader slows the cell instead of losing its output.
"""

import time
from _collections import deque
from _contextvars import ContextVar

from .interrupts import interruptible

LIMIT = 2 << 20  # bytes, about, that may wait here
CHUNK = 1 << 18  # characters of one stream message
ENTRY_COST = 64

#: The request on whose behalf code runs; threads and tasks inherit it, so that late output finds its own cell.
current_request = ContextVar("current_request", default=None)
_request = current_request.get
_STATUS_TOPIC = [b"status"]


class Outbox:
    """A queue of `(stream name, request, text)` and `(None, channel, routing, parts, buffers, size)`."""

    def __init__(self, codec, wake, interrupts):
        self.entries = deque()
        self.size = 0
        self.latest_request = None
        self.awake = False
        #: The main thread is about to send all there is by `Reactor.flush`: no message wakes the io thread until then.
        self.quiet = False
        #: Each tells whether the calling thread holds a lock of the kernel, or is its io thread.
        self.held_locks = []
        self.collect = _nothing
        self.on_room = _nothing
        self._codec = codec
        self._wake = wake
        self._interrupts = interrupts
        self.noticeable_gap = 0.0  # seconds

    def make_write(self, name):
        """The `write` of a stream, the way of every print: a closure, for speed. It takes no lock, or a busy printer would
        starve the io thread. After a gap in which the program can have written to a file descriptor, that is collected
        first."""
        append, interrupts, clock = self.entries.append, self._interrupts, time.perf_counter
        last = 0.0

        def write(text):
            nonlocal last
            if clock() - last > self.noticeable_gap:
                self.collect()
            if not isinstance(text, str):
                raise TypeError("write() argument must be str, not %s" % type(text).__name__)
            append((name, _request() or self.latest_request, text))
            self.size = size = self.size + len(text) + ENTRY_COST
            if not self.awake:
                self.awake = True
                self._wake()
            if size > LIMIT:
                self.wait_for_room()
            if interrupts.held or interrupts.put_off:
                interrupts.surface()
            last = clock()
            return len(text)

        return write

    def add_text(self, name, text):
        """Adds captured text, which has waited in a pipe and waits for no room here."""
        if text:
            self.entries.append((name, self.latest_request, text))
            self._count(len(text) + ENTRY_COST)

    def publish(self, msg_type, content, request=None, metadata=None, buffers=(), topic=None):
        """Adds an iopub message; its content is encoded now. Where too much waits already, it waits for room."""
        self.collect()
        self.announce(msg_type, content, request or _request() or self.latest_request, metadata, buffers, topic)
        if self.size > LIMIT:
            self.wait_for_room()
        if self._interrupts.held or self._interrupts.put_off:
            self._interrupts.surface()

    def tell_state(self, state, request):
        """Adds a status message; no output of the program has to precede it, and it never waits."""
        self._add("iopub", _STATUS_TOPIC, self._codec.encode_status(state, request))

    def announce(self, msg_type, content, request, metadata=None, buffers=(), topic=None):
        """Adds another iopub message that comes at once."""
        parts = self._codec.encode(msg_type, content, request, metadata)
        self._add("iopub", [topic or msg_type.encode()], parts, buffers)

    def reply(self, request, content, metadata=None):
        """Adds the answer to a request; it leaves after everything that was added before."""
        msg_type = request.msg_type.replace("_request", "_reply")
        parts = self._codec.encode(msg_type, content, request, metadata)
        self._add(request.channel, request.routing, parts)

    def ask(self, request, content):
        """Adds an `input_request` to the client of a request."""
        self.collect()
        self._add("stdin", request.routing, self._codec.encode("input_request", content, request))

    def _add(self, channel, routing, parts, buffers=()):
        size = sum(map(len, parts))
        if buffers:
            size += sum(map(len, buffers))
        self.entries.append((None, channel, routing, parts, buffers, size))
        self._count(size)

    def _count(self, size):
        self.size += size
        if not self.awake and not self.quiet:
            self.awake = True
            self._wake()

    def is_inside(self):
        """Whether this thread is in the middle of the kernel's work: code of the user's that runs there (`__del__`, a signal
        handler) must not wait for it to be done."""
        return any(is_held() for is_held in self.held_locks)

    @interruptible
    def wait_for_room(self):
        """Holds the writer until the readers have caught up; SIGINT ends the wait."""
        pause = 0.0005
        self._wake()
        if self.is_inside():
            return
        while self.size > LIMIT // 2:
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)


class ForkedOutbox(Outbox):
    """The outbox of a forked child, which has no io thread: what it displays is printed, the rest is not said."""

    def publish(self, msg_type, content, *_rest, **_options):
        if msg_type in ("display_data", "execute_result"):
            print(content["data"].get("text/plain", ""))

    def reply(self, *_arguments, **_options):
        pass

    def ask(self, *_arguments):
        raise EOFError("a forked child cannot ask for input")

    def add_text(self, *_arguments):
        pass


def _nothing():
    pass
