"""Starts the kernel of a connection file."""

import builtins
import faulthandler
import gc
import sys

from .capture import Capture
from .control import Control
from .display import Displays, ResultHook
from .ending import Ending
from .execute import Interpreter
from .figures import Figures, choose_backend
from .forks import Forks
from .hooks import ImportHooks
from .imports import import_kernel
from .interrupts import Interrupts
from .ipython_modules import IPythonModules
from .json_text import decode_json
from .messages import MessageCodec
from .owner import watch_owner
from .reactor import Reactor
from .shell import Shell
from .stdin import Stdin
from .streams import OutputStream
from .tracebacks import adapt_linecache, forget_launcher
from .unraisable import keep_interrupts
from .user_shell import Exiter, UserShell


def main(connection_file):
    """Serves the connection file until a shutdown; does not return."""
    with open(connection_file, encoding="utf-8") as file:
        connection = decode_json(file.read())
    interrupts = Interrupts()
    reactor = Reactor(connection, MessageCodec(connection.get("key", "").encode()), interrupts)
    interrupts.install()
    capture = Capture(reactor)
    if capture.original_stderr is not None:
        reactor.last_words = capture.original_stderr
        faulthandler.enable(capture.original_stderr, all_threads=False)
    ending = Ending(reactor, interrupts, capture)
    reactor.control = Control(reactor, ending).handle
    sys.argv = [""]
    forget_launcher()
    sys.stdout = OutputStream("stdout", 1, reactor.outbox, reactor.flush)
    sys.stderr = OutputStream("stderr", 2, reactor.outbox, reactor.flush)
    forks = Forks(reactor, capture, (sys.stdout, sys.stderr))
    displays = Displays(reactor.outbox)
    interpreter = Interpreter(reactor, interrupts, capture, forks, displays)
    furnish(interpreter, displays, capture, reactor)
    capture.start()
    watch_owner(reactor)
    gc.freeze()
    gc.enable()
    reactor.start()
    try:
        Shell(reactor, interpreter, ending).serve()
    except SystemExit:  # the user's handler of a signal wants the end
        pass
    ending.finish()


def furnish(interpreter, displays, capture, reactor):
    """Puts in place what the user's code meets: built-in names, hooks for imports, threads and results."""
    stdin = Stdin(reactor)
    stdin.install()
    sys.displayhook = ResultHook(interpreter, displays)
    builtins.display = displays.display
    builtins.exit, builtins.quit = Exiter(interpreter, "exit"), Exiter(interpreter, "quit")
    shell = UserShell(interpreter)
    interpreter.namespace["get_ipython"] = lambda: shell
    keep_interrupts(interpreter.interrupts)
    choose_backend()
    hooks = ImportHooks(lambda: import_kernel("relay_start").prepare_for_native_code(capture, reactor))
    hooks.after["ctypes"] = lambda module: import_kernel("native").adapt_ctypes(capture, module)
    hooks.after["threading"] = lambda module: import_kernel("threads").inherit_request(module)
    hooks.after["concurrent.futures.thread"] = lambda module: import_kernel("threads").keep_request_in_pools(module)
    hooks.after["linecache"] = adapt_linecache
    hooks.after["signal"] = lambda module: import_kernel("user_signals").adapt_signal(interpreter.interrupts, module)
    hooks.after["getpass"] = stdin.adapt_getpass
    hooks.after["matplotlib.pyplot"] = Figures(displays, interpreter).adapt
    IPythonModules(displays).install(hooks)
    hooks.install()
