"""input() and getpass(): a question to the client on the stdin channel."""

import _thread
import builtins
import os

from .interrupts import interruptible
from .outbox import current_request


class StdinNotImplementedError(NotImplementedError):
    """The client cannot be asked; data belongs into the code."""

    __module__ = "builtins"  # so that its name is shown alone


class Stdin:
    """Asks one question at a time. File descriptor 0 is empty, so that children see the end of their input."""

    def __init__(self, reactor):
        self._reactor = reactor
        self._one_at_a_time = _thread.allocate_lock()

    def install(self):
        builtins.input = self.input
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)

    def adapt_getpass(self, module):
        module.getpass = self.getpass

    def input(self, prompt="", /):
        """Reads a line from the user of the notebook."""
        return self._ask(str(prompt), False)

    def getpass(self, prompt="Password: ", stream=None, **_options):
        """Reads a line that the client does not show."""
        return self._ask(prompt, True)

    def _ask(self, prompt, password):
        request = current_request.get() or self._reactor.outbox.latest_request
        if request is None or not request.content.get("allow_stdin", False):
            name = "getpass" if password else "input"
            raise StdinNotImplementedError("%s() was called, but this client does not support input requests" % name)
        with self._one_at_a_time:
            replies = self._reactor.input_replies
            while not replies.empty():
                replies.get()
            self._reactor.outbox.ask(request, {"prompt": prompt, "password": password})
            self._reactor.flush()
            return str(_wait(replies).content.get("value", ""))


@interruptible
def _wait(replies):
    return replies.get()
