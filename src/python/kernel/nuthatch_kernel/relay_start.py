"""Starts relay.py when the first compiled module is imported: from then on code may print while it keeps the interpreter's lock."""

import mmap
import os
import sys
import tempfile

from .imports import import_standard


def prepare_for_native_code(capture, reactor):
    """Called at the first import of compiled code."""
    start_relay(capture, reactor)
    import_standard("ctypes")  # its import hook sets the C library's buffering


def start_relay(capture, reactor):
    """Starts the process, as nobody's child, so that a user's os.wait() never meets it. Without it all else works."""
    if not sys.executable:
        return
    file = tempfile.TemporaryFile(buffering=0)
    file.write(bytes(8))
    forward, ping, pong = [os.pipe(), os.pipe()], os.pipe(), os.pipe()
    own = [pipe.reading for pipe in capture.pipes]
    ends = [end[1] for end in forward] + [end[0] for end in forward] + [ping[1], pong[0], file.fileno()]
    stderr = -1 if capture.original_stderr is None else capture.original_stderr
    if _spawn(own + ends + [stderr]):
        for reading, _ in forward:
            os.set_blocking(reading, False)
        state = mmap.mmap(file.fileno(), 8)
        reactor.call_in_loop(lambda: reactor.watch(ping[0], lambda *_: _answer(ping[0], pong[1])))
        capture.use_relay([end[0] for end in forward], state, (ping[0], pong[1]))
    for end in (forward[0][1], forward[1][1], ping[1], pong[0]):
        os.close(end)


def _answer(ping, pong):
    """A sign of life, which needs the interpreter's lock."""
    if os.read(ping, 64):
        os.write(pong, b"!")


def _spawn(descriptors):
    """Runs the script through a shell that leaves it behind at once; true when that worked."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "relay.py")
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
