"""The inputs of this session, as history requests ask for them."""

import fnmatch

SESSION = 1


def answer_history(interpreter, content):
    """The content of a history_reply; there is one session, this one."""
    entries = list(enumerate(interpreter.inputs))[1:]
    kind = content.get("hist_access_type", "tail")
    count = content.get("n")
    if kind == "range":
        entries = _select_range(entries, content)
    elif kind == "search":
        entries = _search(entries, content.get("pattern", "*"), content.get("unique", False))
    if kind in ("tail", "search") and count is not None:
        entries = entries[-count:] if count > 0 else []
    shown = [(SESSION, number, _with_output(interpreter, number, source, content)) for number, source in entries]
    return {"status": "ok", "history": shown}


def _select_range(entries, content):
    if content.get("session", 0) not in (0, SESSION):
        return []
    start, stop = content.get("start", 1), content.get("stop")
    return [entry for entry in entries if start <= entry[0] and (stop is None or entry[0] < stop)]


def _search(entries, pattern, unique):
    found = [entry for entry in entries if fnmatch.fnmatchcase(entry[1], pattern)]
    if unique:
        last = {source: number for number, source in found}
        found = [(number, source) for number, source in found if last[source] == number]
    return found


def _with_output(interpreter, number, source, content):
    return (source, interpreter.result_texts.get(number)) if content.get("output") else source
