"""The requests of the shell channel, one after another in the main thread."""

import sys

from . import __version__
from .imports import import_kernel
from .messages import PROTOCOL_VERSION
from .outbox import current_request


class Shell:
    """Takes requests from the reactor's queue until it is told to stop; a handler is a method `handle_<type>`."""

    def __init__(self, reactor, interpreter, ending):
        self.reactor = reactor
        self.outbox = reactor.outbox
        self.interpreter = interpreter
        self.ending = ending

    def serve(self):
        """Runs until the queue gives None."""
        take, interrupts = self.reactor.requests.get, self.interpreter.interrupts
        while True:
            if self.interpreter.has_idle_work():
                self.interpreter.work_until_request(self.reactor)
            interrupts.idle = True
            request = take()
            interrupts.idle = False
            if request is None:
                return
            self.handle(request)
            if self.ending.request is not None:
                return

    def handle(self, request):
        """Answers one request between the states busy and idle."""
        doomed = None
        token = current_request.set(request)
        self.outbox.latest_request = request
        self.outbox.quiet = True
        if request.msg_type == "execute_request":
            self.interpreter.interrupts.arm()
        self.outbox.tell_state("busy", request)
        try:
            handler = getattr(self, "handle_" + request.msg_type, None)
            if handler is not None:
                doomed = handler(request)
            elif request.msg_type.endswith("_request"):
                self.outbox.reply(request, error_content("NotImplementedError", "unknown request " + request.msg_type))
        except Exception as error:
            self.outbox.reply(request, error_content(type(error).__name__, str(error)))
        finally:
            self.outbox.tell_state("idle", request)
            current_request.reset(token)
        for other in doomed or ():
            self._abort(other)
        self.outbox.quiet = False
        self.reactor.flush()

    def handle_kernel_info_request(self, request):
        self.outbox.reply(request, kernel_info())

    def handle_execute_request(self, request):
        content = self.interpreter.execute(request)
        doomed = []
        if content["status"] == "error" and request.content.get("stop_on_error", True):
            doomed = self._collect_doomed()
        self.outbox.reply(request, content)
        return doomed

    def _collect_doomed(self):
        """Takes the execute requests that were sent before the error was known; others keep their turn."""
        waiting = self.reactor.take_waiting_requests()
        doomed = [other for other in waiting if other is not None and other.msg_type == "execute_request"]
        for other in waiting:
            if other not in doomed:
                self.reactor.requests.put(other)
        return doomed

    def _abort(self, request):
        self.outbox.tell_state("busy", request)
        self.outbox.reply(request, {"status": "aborted"})
        self.outbox.tell_state("idle", request)

    def handle_complete_request(self, request):
        self.outbox.reply(request, import_kernel("completion").answer_complete(self.interpreter, request.content))

    def handle_inspect_request(self, request):
        self.outbox.reply(request, import_kernel("inspection").answer_inspect(self.interpreter, request.content))

    def handle_is_complete_request(self, request):
        self.outbox.reply(request, import_kernel("completeness").answer_is_complete(request.content))

    def handle_history_request(self, request):
        self.outbox.reply(request, import_kernel("history").answer_history(self.interpreter, request.content))

    def handle_comm_info_request(self, request):
        self.outbox.reply(request, {"status": "ok", "comms": {}})

    def handle_comm_open(self, request):
        """No targets are known here: the opener is told that its comm is closed."""
        comm = {"comm_id": request.content.get("comm_id", ""), "data": {}}
        self.outbox.publish("comm_close", comm, request)

    def handle_shutdown_request(self, request):
        self.ending.begin(request)


def error_content(name, value, traceback=()):
    """The content of an error reply."""
    return {"status": "error", "ename": name, "evalue": value, "traceback": list(traceback)}


def kernel_info():
    """The content of a kernel_info_reply."""
    version = platform_version()
    return {
        "status": "ok",
        "protocol_version": PROTOCOL_VERSION,
        "implementation": "nuthatch",
        "implementation_version": __version__,
        "language_info": {
            "name": "python",
            "version": version,
            "mimetype": "text/x-python",
            "file_extension": ".py",
            "codemirror_mode": {"name": "ipython", "version": 3},
            "pygments_lexer": "ipython3",
            "nbconvert_exporter": "python",
        },
        "banner": "Python %s, the kernel bundled with Nuthatch" % version,
        "debugger": False,
        "supported_features": ["iopub_welcome"],
        "help_links": [{"text": "Python", "url": "https://docs.python.org/%d.%d" % sys.version_info[:2]}],
    }


def platform_version():
    return "%d.%d.%d" % sys.version_info[:3]
