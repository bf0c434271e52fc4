"""status: an event of the user's own."""

from .calls import Record, as_json, helper, note, say


@helper
def status(op, **facts):
    """Sends a status event of your own, `{op, ...}`: `status("train", epoch=3, loss=0.1)`. Returns it. Prints it on one line."""
    event = Record(as_json(dict(facts, op=op)))
    note(**event)
    say("%s: %s" % (op, " ".join("%s=%s" % fact for fact in facts.items())) if facts else str(op))
    return event
