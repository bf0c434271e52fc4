"""output: what earlier calls have put into artifacts, found by ARTIFACTS and PI_SESSION_FILE."""

import json
import os
import re

from .calls import Bytes, Items, Record, Text, helper, note, say
from .excerpts import counted, say_beginning, say_lines
from .queries import select
from .texts import cut_lines, say_cut


@helper
def output(*ids, offset=1, limit=None, query=None):
    """Returns an artifact's text by its id (`12` or `"artifact://12"`), or `limit` lines of it from line `offset` on (negative: from the end); of JSON what a query finds: `output(12, query=".rows[0].name")`. Several ids give a list, none the list of the session's artifacts. Prints it."""
    if not ids:
        return _list_all()
    names = [re.sub(r"^artifact://", "", str(one).strip()) for one in ids]
    note(**({"id": names[0]} if len(names) == 1 else {"ids": names}))
    if query is not None:
        note(query=query)
    found = [_read(name, offset, limit, query) for name in names]
    return found[0] if len(found) == 1 else Items(found)


def _list_all():
    entries = sorted(_entries().values(), key=lambda entry: int(entry["id"]))
    note(count=len(entries))
    rows = ["%s  %s  %s" % (entry["id"], entry.get("mimeType", ""), entry["path"]) for entry in entries]
    say_lines(rows or ["this session has no artifacts"])
    return Items(entries)


def _read(name, offset, limit, query):
    path = _find(name)
    with open(path, "rb") as file:
        data = file.read()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        if query is not None:
            raise ValueError("artifact %s is no JSON: %s" % (name, path)) from None
        note(bytes=len(data))
        say("artifact %s: %s, %s" % (name, path, counted(len(data), "byte")))
        return Bytes(data)
    if query is not None:
        value = select(_parse(text, name), query)
        say_beginning(value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False, default=str))
        return _shown(value)
    chosen = cut_lines(text, offset, limit)
    note(characters=len(chosen), lines=len(chosen.splitlines()), total=len(text.splitlines()))
    say_cut(chosen, limit)
    return Text(chosen)


def _parse(text, name):
    """JSON, or one value a line."""
    try:
        return json.loads(text)
    except ValueError as error:
        try:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            raise ValueError("artifact %s is no JSON: %s" % (name, error)) from None


def _shown(value):
    kinds = {str: Text, list: Items, dict: Record}
    kind = kinds.get(type(value))
    return value if kind is None else kind(value)


def _find(name):
    entries = _entries()
    if name in entries:
        return entries[name]["path"]
    other = _in_index(name)
    if other is not None:
        return other
    known = ", ".join(sorted(entries, key=int)[-20:])
    hint = "this session has %s" % known if known else "this session has none"
    raise FileNotFoundError("there is no artifact %s; %s" % (name, hint))


def _entries():
    """The session's artifacts by id: what its file names, and what lies in its folder since."""
    found = {}
    folder = os.environ.get("ARTIFACTS", "")
    for file in os.listdir(folder) if os.path.isdir(folder) else ():
        name = file.split(".")[0]
        if name.isdigit() and not file.endswith(".part"):
            found[name] = {"id": name, "path": os.path.join(folder, file)}
    for entry in _recorded():
        if os.path.exists(entry["path"]):
            found[str(entry["id"])] = dict(entry, id=str(entry["id"]))
    return found


def _recorded():
    """A host's own session file may hold anything."""
    session = _load(os.environ.get("PI_SESSION_FILE", ""))
    listed = session.get("artifacts") if isinstance(session, dict) else None
    entries = listed if isinstance(listed, list) else []
    return [one for one in entries if isinstance(one, dict) and str(one.get("id")).isdigit() and "path" in one]


def _in_index(name):
    """The file of another session's artifact: ids are one user's, and the index lies beside the sessions' folders."""
    folder = os.path.dirname(os.environ.get("ARTIFACTS", ""))
    entry = _load(os.path.join(folder, "index", name + ".json")) if folder and name.isdigit() else None
    path = entry.get("path") if isinstance(entry, dict) else None
    return path if isinstance(path, str) and os.path.exists(path) else None


def _load(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None
