"""Runs a cell in the user's namespace and tells the outcome."""

import ast
import builtins
import sys
import types

from .display import publish_result
from .tracebacks import describe_error, remember_source

TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
COROUTINE = 0x80 | 0x200  # CO_COROUTINE, CO_ASYNC_GENERATOR


class Interpreter:
    """The user's `__main__` and what has run in it."""

    def __init__(self, outbox, interrupts):
        self.outbox = outbox
        self.interrupts = interrupts
        self.execution_count = 0
        self.module = types.ModuleType("__main__")
        self.namespace = self.module.__dict__
        self.namespace["__builtins__"] = builtins
        self.inputs = [""]
        self.results = {}
        self.namespace.update(In=self.inputs, Out=self.results)
        self._runs = 0
        self._flags = TOP_LEVEL_AWAIT
        sys.modules["__main__"] = self.module

    def execute(self, request):
        """Runs an execute_request and returns the content of its reply."""
        content = request.content
        source = str(content.get("code", ""))
        silent = bool(content.get("silent", False))
        stored = bool(content.get("store_history", True)) and not silent
        if stored:
            self.execution_count += 1
            self.inputs.append(source)
        if not silent:
            self.outbox.publish("execute_input", {"code": source, "execution_count": self.execution_count}, request)
        error = self._run_guarded(source, silent)
        if error is None:
            return {"status": "ok", "execution_count": self.execution_count, "user_expressions": {}, "payload": []}
        reply = dict(describe_error(error), execution_count=self.execution_count)
        if not silent:
            self.outbox.publish("error", {key: reply[key] for key in ("ename", "evalue", "traceback")}, request)
        return dict(reply, status="error", user_expressions={}, payload=[])

    def _run_guarded(self, source, silent):
        """Runs a cell; what it raised, KeyboardInterrupt and SystemExit too, is returned."""
        self.interrupts.install()
        self.interrupts.running = True
        try:
            self._run(source, silent)
        except BaseException as error:
            self.interrupts.running = False
            return error
        self.interrupts.running = False
        return None

    def _run(self, source, silent):
        self._runs += 1
        name = remember_source(source, self.execution_count, self._runs)
        tree = compile(source, name, "exec", self._flags | ast.PyCF_ONLY_AST, True)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        if tree.body:
            self._run_code(compile(tree, name, "exec", self._flags, True))
        if last is not None:
            value = self._run_code(compile(last, name, "eval", self._flags, True))
            if value is not None and not silent:
                publish_result(self, value)

    def _run_code(self, code):
        return eval(code, self.namespace)
