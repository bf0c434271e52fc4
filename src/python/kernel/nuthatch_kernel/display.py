"""display(), results and their MIME bundles."""


def publish_result(interpreter, value):
    """Sends the value of a cell's last expression and keeps it in `_` and `Out`."""
    interpreter.namespace["_"] = value
    interpreter.results[interpreter.execution_count] = value
    content = {"execution_count": interpreter.execution_count, "data": {"text/plain": repr(value)}, "metadata": {}}
    interpreter.outbox.publish("execute_result", content)
