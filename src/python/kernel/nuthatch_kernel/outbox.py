"""What the kernel has to say, in order: text of the streams and whole messages, from any thread.

Writers append and never touch a socket. Whoever holds the reactor's lock delivers: the io thread, or the main thread that
flushes. Above `LIMIT` a writer waits, so a slow reader slows the cell instead of losing its output.
"""

import time
from collections import deque
from contextvars import ContextVar

from .interrupts import interruptible

LIMIT = 4 << 20  # bytes, about: what may wait here, and as much again in the publisher
CHUNK = 1 << 19  # characters of one stream message
ENTRY_COST = 64

#: The request on whose behalf code runs; threads and tasks inherit it, so that late output finds its own cell.
current_request = ContextVar("current_request", default=None)


class Outbox:
    """A queue of `(stream name, request, text)` and `(None, channel, routing, parts, buffers)`."""

    def __init__(self, codec, wake):
        self.entries = deque()
        self.size = 0
        self.latest_request = None
        self.awake = False
        self._codec = codec
        self._wake = wake

    def write(self, name, text):
        """Adds text of a stream; the way of every print. No lock, or a busy printer would starve the io thread."""
        self.entries.append((name, current_request.get() or self.latest_request, text))
        self.size += len(text) + ENTRY_COST
        if not self.awake:
            self.awake = True
            self._wake()
        if self.size > LIMIT:
            self.wait_for_room()

    def publish(self, msg_type, content, request=None, metadata=None, buffers=()):
        """Adds an iopub message; its content is encoded now. Large ones wait for room first."""
        parent = request or current_request.get() or self.latest_request
        parts = self._codec.encode(msg_type, content, parent, metadata)
        self._add((None, "iopub", [msg_type.encode()], parts, buffers))
        if self.size > LIMIT:
            self.wait_for_room()

    def reply(self, request, content, metadata=None):
        """Adds the answer to a request; it leaves after everything that was added before."""
        msg_type = request.msg_type.replace("_request", "_reply")
        parts = self._codec.encode(msg_type, content, request, metadata)
        self._add((None, request.channel, request.routing, parts, ()))

    def ask(self, request, content):
        """Adds an `input_request` to the client of a request."""
        self._add((None, "stdin", request.routing, self._codec.encode("input_request", content, request), ()))

    def _add(self, entry):
        self.entries.append(entry)
        self.size += sum(map(len, entry[3])) + sum(map(len, entry[4]))
        if not self.awake:
            self.awake = True
            self._wake()

    @interruptible
    def wait_for_room(self):
        """Holds the writer until the readers have caught up; SIGINT ends the wait."""
        pause = 0.0005
        while self.size > LIMIT // 2:
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
