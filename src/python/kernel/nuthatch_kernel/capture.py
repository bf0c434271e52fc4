"""What C code and child processes write to the file descriptors 1 and 2.

Both are pipes that the io thread drains, and before each message of its own the kernel looks into them, so that order is
kept. Once compiled code is in use, a process of its own reads them (relay.py) and hands on what comes: C code that prints
while it keeps the interpreter's lock would otherwise wait for ever. The kernel process owns the reading ends.
"""

import _thread
import codecs
import fcntl
import os
import select
import sys
import time
from _struct import unpack

from .outbox import LIMIT

PIPE_SIZE = 1 << 20
READ_SIZE = 1 << 16
SET_PIPE_SIZE = getattr(fcntl, "F_SETPIPE_SZ", 1031)
RELAY_PAUSE = 0.002


class CapturedPipe:
    """The reading end of one captured descriptor, and its place in the middle of a character."""

    def __init__(self, name, descriptor):
        self.name = name
        # The writing end is held too, so that a user who closes the descriptor does not end the pipe.
        self.reading, self.writing = os.pipe()
        os.set_blocking(self.reading, False)
        try:
            fcntl.fcntl(self.reading, SET_PIPE_SIZE, PIPE_SIZE)
        except OSError:
            pass
        os.dup2(self.writing, descriptor)
        self.captured = self.reading
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def read(self):
        """The next bytes, None when there are none now, empty when the relay has ended."""
        try:
            return os.read(self.reading, READ_SIZE)
        except OSError:
            return None


class Capture:
    """Puts the pipes in place and moves what arrives to the outbox."""

    def __init__(self, reactor):
        self._reactor = reactor
        self._outbox = reactor.outbox
        self._lock = _thread.RLock()
        self._outbox.held_locks.append(self._lock._is_owned)
        self._draining = False
        self._watched = ()
        self._left = False
        self._moved = 0  # bytes
        self._relay = None
        self.flush_native = None
        self.original_stderr = _duplicate(2)
        sys.__stdout__.flush()
        sys.__stderr__.flush()
        self.pipes = [CapturedPipe("stdout", 1), CapturedPipe("stderr", 2)]
        self._ready = find_readiness([pipe.reading for pipe in self.pipes])

    def start(self):
        """Drains from now on, in the io thread too."""
        self._outbox.noticeable_gap = 0.6 * min(self._time_look() for _ in range(3))
        self._outbox.collect = self.collect
        self._outbox.on_room = self._watch

    def _time_look(self):
        """Seconds of one system call: no write to a descriptor is faster."""
        started = time.perf_counter()
        self._ready()
        return time.perf_counter() - started

    def use_relay(self, reading, state, signals):
        """From now on the relay reads the captured pipes, and the kernel what it passes on."""
        with self._lock:
            self._drain_pipes()
            self._relay = (state, signals)
            for pipe, end in zip(self.pipes, reading):
                pipe.reading = end
            self._ready = find_readiness([pipe.captured for pipe in self.pipes] + reading)
        self._reactor.call_in_loop(self._watch)

    def collect(self):
        """Moves what has been written so far; what a busy child goes on writing meanwhile is not waited for. Code of the
        user's that runs while its own thread does this already (`__del__`, a signal handler) goes on at once."""
        if not self._is_pending() or self._lock._is_owned():
            return
        end = self._moved + 2 * PIPE_SIZE + self._on_its_way()
        while self._is_pending() and self._moved < end:
            if self._drain():
                self._outbox.wait_for_room()
            elif self._relay is not None:
                select.select([pipe.reading for pipe in self.pipes], (), (), RELAY_PAUSE)

    def _is_pending(self):
        """Data is in a pipe, in the hands of the io thread, or with the relay. The pipes are looked at before those who may
        have just taken it from there, and after the relay once more, which may have passed it on."""
        if self._left or self._ready() or self._draining:
            return True
        return self._relay is not None and bool(self._on_its_way() or self._ready())

    def _on_its_way(self):
        return 0 if self._relay is None else unpack("<Q", self._relay[0][:])[0]

    def end_cell(self):
        """Collects the last output of a cell: what C's own buffers hold, and half a character."""
        if self.flush_native is not None:
            self.flush_native()
        self.collect()
        for pipe in self.pipes:
            if pipe.decoder.getstate()[0]:
                self._outbox.add_text(pipe.name, pipe.decoder.decode(b"", True))

    def leave(self):
        """In a forked child: the reading ends are the parent's alone, and so is the relay."""
        descriptors = {end for pipe in self.pipes for end in (pipe.reading, pipe.captured, pipe.writing)}
        descriptors.update(self._relay[1] if self._relay is not None else ())
        for descriptor in descriptors | {self.original_stderr}:
            if descriptor is not None:
                os.close(descriptor)

    def _on_readable(self, _target=None, _mask=0):
        """In the io thread. A full outbox is not filled further: the writer at the other end waits instead."""
        if self._outbox.size > LIMIT or self._drain():
            self._unwatch()

    def _drain(self):
        """Moves until the pipes are empty or the outbox is full; true when something is left."""
        with self._lock:
            return self._drain_pipes()

    def _drain_pipes(self):
        self._draining = True
        try:
            return self._move()
        finally:
            self._draining = False

    def _move(self):
        self._left = False
        end = self._moved + 2 * PIPE_SIZE
        for pipe in self.pipes:
            data = pipe.read()
            while data:
                self._outbox.add_text(pipe.name, pipe.decoder.decode(data))
                self._moved += len(data)
                self._left = self._outbox.size > LIMIT or self._moved > end
                if self._left:
                    return True
                data = pipe.read()
            if data is not None and self._relay is not None:
                self._give_up_relay()
        return False

    def _give_up_relay(self):
        """The relay was killed: the kernel reads for itself again."""
        self._relay = None
        for pipe in self.pipes:
            pipe.reading = pipe.captured
        self._ready = find_readiness([pipe.reading for pipe in self.pipes])
        self._reactor.call_in_loop(self._watch)

    def _watch(self):
        """In the io thread, whenever there is room again."""
        wanted = tuple(pipe.reading for pipe in self.pipes)
        if self._watched != wanted:
            self._unwatch()
            self._watched = wanted
            for descriptor in wanted:
                self._reactor.watch(descriptor, self._on_readable)
            self._on_readable()

    def _unwatch(self):
        for descriptor in self._watched:
            self._reactor.unwatch(descriptor)
        self._watched = ()


def find_readiness(descriptors):
    """A cheap question, from any thread: can one of the descriptors be read?"""
    if not hasattr(select, "epoll"):
        return lambda: select.select(descriptors, (), (), 0)[0]
    poll = select.epoll()
    for descriptor in descriptors:
        poll.register(descriptor, select.EPOLLIN)
    return lambda: poll.poll(0, 1)


def _duplicate(descriptor):
    try:
        return os.dup(descriptor)
    except OSError:
        return None
