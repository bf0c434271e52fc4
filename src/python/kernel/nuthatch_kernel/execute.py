"""Runs a cell in the user's namespace and tells the outcome."""

import builtins
import sys

from .imports import import_kernel, import_standard
from .tracebacks import describe_error, keep_source, remember_source

TREE_ONLY, AWAIT_ANYWHERE = 0x400, 0x2000  # flags of `compile`, PyCF_ONLY_AST and PyCF_ALLOW_TOP_LEVEL_AWAIT
COROUTINE = 0x80  # CO_COROUTINE: a cell that awaits
FUTURES = 0x1FF0000  # the flags of `from __future__ import ...`, which hold for later cells too
#: Code that needs a running event loop without awaiting itself.
LOOP_USERS = ("create_task(", "ensure_future(", "get_running_loop(")


class Interpreter:
    """The user's `__main__` and what has run in it."""

    def __init__(self, reactor, interrupts, capture, forks, displays):
        self.outbox = reactor.outbox
        self.announce = reactor.flush
        self.displays = displays
        self.interrupts = interrupts
        self.capture = capture
        self.forks = forks
        self.execution_count = 0
        self.inputs = [""]
        self.results = {}
        self.result_texts = {}
        self.payload = []
        self.after_cell = []
        self.showing_result = False
        self.is_last = False
        self.last_directory = None
        self.async_cells = None
        self._runs = 0
        self._flags = AWAIT_ANYWHERE
        self.module = type(sys)("__main__")
        self.namespace = self.module.__dict__
        self.namespace.update(__builtins__=builtins, In=self.inputs, Out=self.results)
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
            self.outbox.announce("execute_input", {"code": source, "execution_count": self.execution_count}, request)
        self.announce()
        self.payload = []
        expressions = content.get("user_expressions") or {}
        error, values = self._run_guarded(source, silent, expressions)
        if self.forks.in_child():
            self.forks.leave(error)
        self.capture.end_cell()
        if error is None:
            outcome = {"status": "ok"}
        else:
            if not isinstance(error, SystemExit):
                sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
            outcome = self._describe(error)
            if not silent:
                self.outbox.publish("error", outcome, request)
            outcome["status"] = "error"
        return dict(
            outcome, execution_count=self.execution_count, user_expressions=values or {}, payload=self.payload
        )

    def run_source(self, source, show_result=False):
        """Runs code as a part of the present cell, for magics; the value of its last expression."""
        value = self._run(source)
        if show_result and value is not None:
            self._show(value)
            return None
        return value

    def has_idle_work(self):
        """Whether tasks of an event loop have outlived their cells."""
        return self.async_cells is not None and self.async_cells.has_tasks()

    def work_until_request(self, reactor):
        """Lets such tasks go on until a request waits; an interrupt ends what runs, not the wait for requests."""
        try:
            self.interrupts.start()
            self.async_cells.run_until(lambda: not reactor.requests.empty(), reactor.on_request)
        except BaseException as error:
            if not isinstance(error, KeyboardInterrupt):
                sys.stderr.write("\n".join(describe_error(error)["traceback"]) + "\n")
        finally:
            self.interrupts.stop()
            reactor.on_request(None)

    def _run_guarded(self, source, silent, expressions):
        """Runs a cell; what it raised, KeyboardInterrupt and SystemExit too, is returned."""
        error = values = None
        try:
            self.interrupts.start()
            self.outbox.quiet = False
            value = self._run(source)
            if value is not None and not silent:
                self.is_last = not expressions and not self.after_cell
                self._show(value)
            values = {name: self._evaluate(expression) for name, expression in expressions.items()}
        except BaseException as raised:
            error = raised
        self.is_last = False
        try:
            for function in self.after_cell:
                function()
        except BaseException as raised:
            error = error or raised
        self.outbox.quiet = True
        self.interrupts.stop()
        return error, values

    def _describe(self, error):
        """Its text is made by the user's code too, which an interrupt ends."""
        try:
            self.interrupts.start()
            return describe_error(error)
        except KeyboardInterrupt as interrupt:
            return describe_error(interrupt)
        finally:
            self.interrupts.stop()

    def _run(self, source):
        self._runs += 1
        name = remember_source(source, self.execution_count, self._runs)
        tree = self._parse(source, name)
        ast = import_standard("_ast")  # all that is needed of `ast`
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
            if source.rstrip().endswith(";") or _ends_in_semicolon(source):
                last = _without_value(ast, last)
        if tree.body:
            self._run_code(compile(tree, name, "exec", self._flags, True), source)
        if last is None:
            return None
        if isinstance(last, ast.Module):
            return self._run_code(compile(last, name, "exec", self._flags, True), source)
        return self._run_code(compile(last, name, "eval", self._flags, True), source)

    def _parse(self, source, name):
        """The syntax tree of a cell; an indentation and magics are looked for only when it is no Python as it is."""
        flags = self._flags | TREE_ONLY
        try:
            return compile(source, name, "exec", flags, True)
        except SyntaxError:
            transform = import_kernel("transform")
            plain = transform.without_indent(source)
            changed = transform.transform(plain) if transform.may_hold_magic(plain) else plain
            if changed == source:
                raise
            keep_source(name, plain)
            return compile(changed, name, "exec", flags, True)

    def _run_code(self, code, source):
        self._flags |= code.co_flags & FUTURES
        if code.co_flags & COROUTINE:
            return self._get_async_cells().run(eval(code, self.namespace))
        has_asyncio = "asyncio" in sys.modules or "asyncio" in source
        if has_asyncio and any(name in source for name in LOOP_USERS) and "asyncio.run(" not in source:
            return self._get_async_cells().run_inside(lambda: eval(code, self.namespace))
        return eval(code, self.namespace)

    def _get_async_cells(self):
        if self.async_cells is None:
            self.async_cells = import_kernel("async_cells").AsyncCells(self.interrupts)
        return self.async_cells

    def _show(self, value):
        self.showing_result = True
        try:
            sys.displayhook(value)
        finally:
            self.showing_result = False

    def _evaluate(self, expression):
        """One of the request's `user_expressions`, after the cell; an error is its value."""
        try:
            data, metadata = self.displays.formatter.format(eval(expression, self.namespace))
            return {"status": "ok", "data": data, "metadata": metadata}
        except Exception as error:
            return dict(describe_error(error), status="error")


def _without_value(ast, expression):
    value = expression.body
    place = {name: getattr(value, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}
    return ast.Module([ast.Expr(value, **place)], [])


def _ends_in_semicolon(source):
    """Whether the last statement ends in `;`, behind which a comment may stand: its value is not shown."""
    last = source.rstrip().rsplit("\n", 1)[-1]
    before, sign, _ = last.partition("#")
    return bool(sign) and before.rstrip().endswith(";") and before.count('"') % 2 == before.count("'") % 2 == 0
