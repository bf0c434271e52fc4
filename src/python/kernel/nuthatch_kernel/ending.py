"""How the process ends: on request, when its owner is gone, never halfway through a message.

States: running, asked to end (`begin`), ended (`finish`, which does not return).
"""

import atexit
import os
import signal
import threading

GIVE_UP_AFTER = 1.0


class Ending:
    """Ends the process once. The main thread does it between cells; where a cell will not stop, a timer does."""

    def __init__(self, reactor, interrupts):
        self.reactor = reactor
        self.interrupts = interrupts
        self.request = None
        self._main = threading.get_ident()
        self._done = threading.Lock()

    def begin(self, request):
        """From the io thread: lets a running cell clean up for a second, then ends whatever it does."""
        self.request = request
        self.reactor.requests.put(None)
        if self.interrupts.running:
            signal.pthread_kill(self._main, signal.SIGINT)
        timer = threading.Timer(GIVE_UP_AFTER, self.finish)
        timer.daemon = True
        timer.start()

    def finish(self):
        """Runs the atexit functions, answers the shutdown, sends what is left, ends the group's children, and exits."""
        if not self._done.acquire(False):
            threading.Event().wait()
        self.interrupts.running = False
        try:
            atexit._run_exitfuncs()
        except BaseException:
            pass
        self._say_goodbye()
        self.reactor.flush()
        self.reactor.close()
        end_children()
        os._exit(0)

    def _say_goodbye(self):
        request = self.request
        if request is None:
            return
        outbox = self.reactor.outbox
        content = {"status": "ok", "restart": bool(request.content.get("restart", False))}
        outbox.reply(request, content)
        outbox.publish("shutdown", content, request)
        outbox.publish("status", {"execution_state": "idle"}, request)


def end_children():
    """SIGTERM to the rest of the process group, where the kernel leads one."""
    if os.getpgrp() != os.getpid():
        return
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.killpg(os.getpid(), signal.SIGTERM)
