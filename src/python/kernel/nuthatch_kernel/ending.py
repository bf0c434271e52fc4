"""How the process ends on request, never halfway through a message.

States: running, asked to end (`begin`), ended (`finish`, which does not return).
"""

import _signal as signal
import _thread
import atexit
import os
import time

GIVE_UP_SECONDS = 1


class Ending:
    """Ends the process once: the main thread does it between cells, or a timer where a cell will not stop."""

    def __init__(self, reactor, interrupts, capture):
        self.request = None
        self._reactor = reactor
        self._interrupts = interrupts
        self._capture = capture
        self._main = _thread.get_ident()

    def begin(self, request):
        """Lets a running cell and the exit functions clean up for a second, then ends whatever they do."""
        self.request = request
        self._reactor.add_request(None)
        if self._interrupts.running:
            signal.pthread_kill(self._main, signal.SIGINT)
        _thread.start_new_thread(self._give_up, ())

    def finish(self):
        """Runs the atexit functions, then leaves."""
        try:
            atexit._run_exitfuncs()
        except BaseException:  # its traceback has been printed
            pass
        self._leave()

    def _give_up(self):
        time.sleep(GIVE_UP_SECONDS)
        self._leave()

    def _leave(self):
        """Sends what is left and the reply, ends the group's children, and exits."""
        self._interrupts.stop()
        self._capture.end_cell()
        request, outbox = self.request, self._reactor.outbox
        if request is not None:
            content = {"status": "ok", "restart": bool(request.content.get("restart", False))}
            outbox.publish("shutdown_reply", content, request)
            outbox.reply(request, content)
        self._reactor.flush()
        self._reactor.close()
        end_children()
        os._exit(0)


def end_children():
    """SIGTERM to the rest of the process group, where the kernel leads one."""
    if os.getpgrp() == os.getpid():
        try:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        except ValueError:  # not the main thread: then the signal ends this process too, a moment early
            pass
        os.killpg(os.getpid(), signal.SIGTERM)
