"""Starts the kernel of a connection file."""

import json
import sys

from .control import Control
from .ending import Ending
from .execute import Interpreter
from .interrupts import Interrupts
from .messages import MessageCodec
from .reactor import Reactor
from .shell import Shell
from .streams import OutputStream


def main(connection_file):
    """Serves the connection file until a shutdown; does not return."""
    with open(connection_file, encoding="utf-8") as file:
        connection = json.load(file)
    reactor = Reactor(connection, MessageCodec(connection.get("key", "").encode()))
    interrupts = reactor.interrupts = Interrupts(reactor.wake)
    interrupts.install()
    ending = Ending(reactor, interrupts)
    reactor.control = Control(reactor, ending).handle
    sys.stdout = OutputStream("stdout", 1, reactor.outbox, reactor.flush)
    sys.stderr = OutputStream("stderr", 2, reactor.outbox, reactor.flush)
    shell = Shell(reactor, Interpreter(reactor.outbox, interrupts), ending)
    reactor.start()
    shell.serve()
    ending.finish()
