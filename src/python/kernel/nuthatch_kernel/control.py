"""The control channel, answered in the io thread while a cell runs, and the end of the process."""

import _signal as signal
import _thread
import os

from .shell import error_content, kernel_info


class Control:
    """Answers interrupt, shutdown and kernel_info requests at once; called with the reactor's lock held."""

    def __init__(self, reactor, ending):
        self.reactor = reactor
        self.ending = ending
        self._main = _thread.get_ident()

    def handle(self, request):
        self._status("busy", request)
        if request.msg_type == "interrupt_request":
            interrupt_group(self._main)
            self._reply(request, {"status": "ok"})
        elif request.msg_type == "shutdown_request":
            self.ending.begin(request)
        elif request.msg_type == "kernel_info_request":
            self._reply(request, kernel_info())
        elif request.msg_type.endswith("_request"):
            self._reply(request, error_content("NotImplementedError", "unknown request " + request.msg_type))
        self._status("idle", request)

    def _status(self, state, request):
        self.reactor.send_now("iopub", [b"status"], self.reactor.codec.encode_status(state, request))

    def _reply(self, request, content):
        msg_type = request.msg_type.replace("_request", "_reply")
        self.reactor.send_now(request.channel, request.routing, self.reactor.codec.encode(msg_type, content, request))


def interrupt_group(main_thread):
    """SIGINT as Ctrl-C sends it: to the whole process group where the kernel leads one, so that children get it too."""
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGINT)
    else:
        signal.pthread_kill(main_thread, signal.SIGINT)
