"""What C code and child processes write to the file descriptors 1 and 2.

Both are pipes that the io thread drains. C code that prints more than a pipe holds, while it keeps the interpreter's lock,
would wait for ever; rescue.py, a process of its own, empties the pipes then. States: installed (`install`), left (`leave`,
in a forked child). The kernel process owns the reading ends.
"""

import codecs
import fcntl
import os
import select
import sys
import threading

from .outbox import LIMIT

PIPE_SIZE = 1 << 20
READ_SIZE = 1 << 16
SET_PIPE_SIZE = getattr(fcntl, "F_SETPIPE_SZ", 1031)


class CapturedPipe:
    """The reading end of one captured descriptor, and its place in the middle of a character."""

    def __init__(self, name, descriptor):
        self.name = name
        self.reading, writing = os.pipe()
        os.set_blocking(self.reading, False)
        try:
            fcntl.fcntl(self.reading, SET_PIPE_SIZE, PIPE_SIZE)
        except OSError:
            pass
        os.dup2(writing, descriptor)
        os.close(writing)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.rescued = None

    def read(self):
        """The next bytes, those that were rescued first; empty when there are none now."""
        if self.rescued is not None:
            return self.rescued.read_before(self._read_pipe)
        return self._read_pipe()

    def _read_pipe(self):
        try:
            return os.read(self.reading, READ_SIZE)
        except OSError:
            return b""


class Capture:
    """Puts the pipes in place and moves what arrives to the outbox, in the order in which it was written."""

    def __init__(self, reactor):
        self._reactor = reactor
        self._outbox = reactor.outbox
        self._lock = threading.Lock()
        self._watched = False
        self._left = False
        self.flush_native = None
        self.rescuer = None
        self.original_stderr = _duplicate(2)
        sys.__stdout__.flush()
        sys.__stderr__.flush()
        self.pipes = [CapturedPipe("stdout", 1), CapturedPipe("stderr", 2)]
        self._ready = find_readiness([pipe.reading for pipe in self.pipes])

    def start(self):
        """Drains from now on, in the io thread too."""
        self._outbox.collect = self.collect
        self._outbox.on_room = self._watch

    def use_rescuer(self, ping, pong, files):
        """From now on a question of the rescuer's is a sign too that there may be something to read."""
        self.rescuer = (ping, pong)
        for pipe, rescued in zip(self.pipes, files):
            pipe.rescued = rescued
        self._ready = find_readiness([pipe.reading for pipe in self.pipes] + [ping])

    def collect(self):
        """Moves what has been written so far; called before the kernel's own messages, so that order is kept."""
        while (self._left or self._ready()) and self._drain():
            self._outbox.wait_for_room()

    def end_cell(self):
        """Collects the last output of a cell: what C's own buffers hold, and half a character."""
        if self.flush_native is not None:
            self.flush_native()
        self.collect()
        for pipe in self.pipes:
            if pipe.decoder.getstate()[0]:
                self._outbox.add_text(pipe.name, pipe.decoder.decode(b"", True))

    def leave(self):
        """In a forked child: the reading ends are the parent's alone, and so is the rescuer."""
        descriptors = [pipe.reading for pipe in self.pipes] + list(self.rescuer or ())
        for descriptor in descriptors + [self.original_stderr]:
            if descriptor is not None:
                os.close(descriptor)

    def on_readable(self, _target=None, _mask=0):
        """In the io thread. A full outbox is not filled further: the writer at the other end waits instead."""
        if self._outbox.size > LIMIT or self._drain():
            self._unwatch()

    def _drain(self):
        """Moves until the pipes are empty or the outbox is full; true when something is left."""
        with self._lock:
            for pipe in self.pipes:
                data = pipe.read()
                while data:
                    self._outbox.add_text(pipe.name, pipe.decoder.decode(data))
                    self._left = self._outbox.size > LIMIT
                    if self._left:
                        return True
                    data = pipe.read()
        return False

    def _watch(self):
        """In the io thread, whenever there is room again."""
        if not self._watched:
            self._watched = True
            for pipe in self.pipes:
                self._reactor.watch(pipe.reading, self.on_readable)
            self.on_readable()

    def _unwatch(self):
        if self._watched:
            self._watched = False
            for pipe in self.pipes:
                self._reactor.unwatch(pipe.reading)


def find_readiness(descriptors):
    """A cheap question, from any thread: can one of the descriptors be read?"""
    if not hasattr(select, "epoll"):
        return lambda: select.select(descriptors, (), (), 0)[0]
    poll = select.epoll()
    for descriptor in descriptors:
        poll.register(descriptor, select.EPOLLIN)
    return lambda: poll.poll(0)


def _duplicate(descriptor):
    try:
        return os.dup(descriptor)
    except OSError:
        return None
