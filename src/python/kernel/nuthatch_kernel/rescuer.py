"""Starts rescue.py where it may be needed: when the first module with C code of its own is imported."""

import fcntl
import os
import sys
import tempfile

from .imports import import_standard

READ_SIZE = 1 << 16


class RescuedOutput:
    """A file of bytes that were taken out of a pipe; they are older than what is in the pipe."""

    def __init__(self):
        self.file = tempfile.TemporaryFile(buffering=0)
        flags = fcntl.fcntl(self.file, fcntl.F_GETFL)
        fcntl.fcntl(self.file, fcntl.F_SETFL, flags | os.O_APPEND)
        self._taken = 0

    def read_before(self, read_pipe):
        """The next rescued bytes, else the pipe's, with the rescuer locked out meanwhile."""
        fcntl.lockf(self.file, fcntl.LOCK_EX)
        try:
            data = os.pread(self.file.fileno(), READ_SIZE, self._taken)
            if not data:
                return read_pipe()
            self._taken += len(data)
            if self._taken == os.fstat(self.file.fileno()).st_size:
                os.ftruncate(self.file.fileno(), 0)
                self._taken = 0
            return data
        finally:
            fcntl.lockf(self.file, fcntl.LOCK_UN)


def prepare_for_native_code(capture, reactor):
    """Called at the first import of compiled code: it may print past Python, and keep the interpreter's lock meanwhile."""
    start_rescuer(capture, reactor)
    import_standard("ctypes")  # its import hook sets the C library's buffering


def start_rescuer(capture, reactor):
    """Starts the process, as nobody's child, so that a user's os.wait() never meets it. Without it all else works."""
    if not sys.executable or capture.rescuer is not None:
        return
    files = [RescuedOutput() for _ in capture.pipes]
    ping, pong = os.pipe(), os.pipe()
    given = [pipe.reading for pipe in capture.pipes] + [rescued.file.fileno() for rescued in files] + [ping[1], pong[0]]
    given.append(capture.original_stderr if capture.original_stderr is not None else -1)
    if not _spawn(given):
        return
    os.close(ping[1])
    os.close(pong[0])
    capture.use_rescuer(ping[0], pong[1], files)
    reactor.call_in_loop(lambda: reactor.watch(ping[0], lambda *_: _answer(ping[0], pong[1], capture)))


def _answer(ping, pong, capture):
    """Shows life, then takes what was rescued meanwhile."""
    if os.read(ping, 64):
        os.write(pong, b"!")
        capture.on_readable()


def _spawn(descriptors):
    """Runs the script through a shell that leaves it behind at once; true when that worked."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rescue.py")
    inherited = [descriptor if descriptor < 0 else os.dup(descriptor) for descriptor in descriptors]
    try:
        for descriptor in inherited:
            if descriptor >= 0:
                os.set_inheritable(descriptor, True)
        words = [sys.executable, "-I", "-S", script, *map(str, inherited)]
        quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
        arguments = ["/bin/sh", "-c", '"$@" &', "sh", *words]
        child = os.posix_spawn("/bin/sh", arguments, os.environ, file_actions=quiet)
        return os.waitpid(child, 0)[1] == 0
    except OSError:
        return False
    finally:
        for descriptor in inherited:
            if descriptor >= 0:
                os.close(descriptor)
