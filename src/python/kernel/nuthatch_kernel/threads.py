"""Threads inherit the request that started them: what they print after its end still belongs to its cell."""

import sys
from _contextvars import Context

from .outbox import current_request

_ATTRIBUTE = "_nuthatch_request"


def inherit_request(threading):
    """Called with the module threading once it is imported: each thread takes over its starter's request."""
    start, bootstrap = threading.Thread.start, threading.Thread._bootstrap_inner

    def start_with_request(self):
        setattr(self, _ATTRIBUTE, current_request.get())
        if getattr(self, "_context", self) is None:  # Python 3.14 runs a thread in a context of its own
            self._context = Context()
            self._context.run(current_request.set, current_request.get())
        return start(self)

    def bootstrap_with_request(self):
        current_request.set(self.__dict__.pop(_ATTRIBUTE, None))
        return bootstrap(self)

    start_with_request.__doc__ = start.__doc__
    threading.Thread.start = start_with_request
    threading.Thread._bootstrap_inner = bootstrap_with_request


def keep_request_in_pools(module):
    """Makes the workers of a ThreadPoolExecutor run each job under the request that submitted it, not the first one.

    Those of an InterpreterPoolExecutor (Python 3.14) take nothing of this interpreter along, a function of ours neither.
    """
    submit = module.ThreadPoolExecutor.submit

    def submit_with_request(self, function, /, *args, **kwargs):
        isolated = sys.modules.get("concurrent.futures.interpreter")
        if isolated is not None and isinstance(self, isolated.InterpreterPoolExecutor):
            return submit(self, function, *args, **kwargs)
        request = current_request.get()

        def run(*args, **kwargs):
            token = current_request.set(request)
            try:
                return function(*args, **kwargs)
            finally:
                current_request.reset(token)

        return submit(self, run, *args, **kwargs)

    module.ThreadPoolExecutor.submit = submit_with_request
