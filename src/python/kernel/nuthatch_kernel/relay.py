"""A process between the captured descriptors and the kernel: it goes on reading while C code holds the interpreter's lock.

It is the only reader of the captured pipes and passes on what comes, in order. A kernel that is alive but reads slowly
slows the writers, as a pipe does; one that gives no sign of life within `PATIENCE` is held up by the very code that
prints, so what it prints goes to a file meanwhile. `state` tells how many bytes are on their way, and one more while it is busy.
It ends with the kernel, and hands the last words that nobody read to the stderr which the kernel had inherited. A script of
its own, never imported.
"""

import mmap
import os
import select
import signal
import sys
import tempfile
from struct import pack

CHUNK = 1 << 16
FULL = 1 << 20  # bytes that wait here before writers have to wait too
LARGEST_SPILL = 1 << 30
CHUNKS_A_TURN = 16
PATIENCE_MS = 200


class Way:
    """From one captured pipe to the kernel, with a file for what does not fit."""

    def __init__(self, source, target, unread):
        self.source, self.target, self.unread = source, target, unread
        self.spill = tempfile.TemporaryFile(buffering=0)
        self.written = self.passed = 0
        self.is_open = True
        os.set_blocking(source, False)
        os.set_blocking(target, False)

    @property
    def waiting(self):
        return self.written - self.passed

    def take(self):
        """Reads once; true when there was something."""
        try:
            data = os.read(self.source, CHUNK)
        except BlockingIOError:
            return False
        self.is_open = bool(data)
        if not self.waiting:
            data = data[self.give(data) :]
        if data:
            self.written += os.pwrite(self.spill.fileno(), data, self.written)
        return self.is_open

    def give(self, data):
        try:
            return os.write(self.target, data)
        except BlockingIOError:
            return 0

    def pass_on(self):
        """Moves from the file to the kernel what fits now."""
        while self.waiting:
            given = self.give(os.pread(self.spill.fileno(), CHUNK, self.passed))
            self.passed += given
            if not given:
                return
        if self.written:
            os.ftruncate(self.spill.fileno(), 0)
            self.written = self.passed = 0


class Relay:
    """Serves both ways until the kernel is gone, which its end of `pong` tells."""

    def __init__(self, ways, ping, pong, state):
        self.ways, self.ping, self.pong, self.state = ways, ping, pong, state
        self.is_kernel_stuck = False

    def run(self):
        while self.turn():
            pass

    def turn(self):
        """One wait and what follows from it; false at the kernel's end."""
        waiting = sum(way.waiting for way in self.ways)
        may_read = waiting < FULL or self.is_kernel_stuck and waiting < LARGEST_SPILL
        self.state[:] = pack("<Q", waiting)
        events = dict(self.poll(may_read).poll(PATIENCE_MS if waiting >= FULL else None))
        if self.pong in events:
            if not os.read(self.pong, 64):
                return False
            self.is_kernel_stuck = False
        self.state[:] = pack("<Q", waiting + 1)
        for way in self.ways:
            way.pass_on()
            for _ in range(CHUNKS_A_TURN if may_read and way.source in events else 0):
                if not way.take():
                    break
        if not events and not self.is_kernel_stuck:
            self.is_kernel_stuck = not self.is_kernel_alive()
        return True

    def poll(self, may_read):
        poll = select.poll()
        poll.register(self.pong, select.POLLIN)
        for way in self.ways:
            if may_read and way.is_open:
                poll.register(way.source, select.POLLIN)
            if way.waiting:
                poll.register(way.target, select.POLLOUT)
        return poll

    def is_kernel_alive(self):
        """Asks the kernel's io thread, which needs the interpreter's lock to answer. A late answer ends the emergency."""
        os.write(self.ping, b"?")
        poll = select.poll()
        poll.register(self.pong, select.POLLIN)
        return bool(poll.poll(PATIENCE_MS))

    def hand_over(self, stderr):
        """Writes what the kernel has not read to its stderr: the part in the pipe, in the file, and before."""
        for way in self.ways:
            for read in (
                lambda: os.read(way.unread, CHUNK),
                lambda: os.pread(way.spill.fileno(), CHUNK, way.passed),
                lambda: os.read(way.source, CHUNK),
            ):
                try:
                    data = read()
                    while data:
                        os.write(stderr, data)
                        way.passed += len(data)
                        data = read()
                except OSError:
                    pass


def main(numbers):
    for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(ignored, signal.SIG_IGN)
    sources, targets, unread = numbers[0:2], numbers[2:4], numbers[4:6]
    ping, pong, state, stderr = numbers[6:10]
    relay = Relay([Way(*ends) for ends in zip(sources, targets, unread)], ping, pong, mmap.mmap(state, 8))
    try:
        relay.run()
    except BrokenPipeError:
        pass
    if stderr >= 0:
        relay.hand_over(stderr)


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]])
