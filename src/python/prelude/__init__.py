"""Helpers for the user's cells, in any Python kernel: files, search, text, commands, artifacts.

A helper returns a value to go on with, prints what a person would want to see (nothing with `quiet=True`), and sends one
status event, `{op, ...}`. Its own code never looks at the user's names, so that a user may take each of them.
"""

import json

from .artifacts import output
from .calls import connect, show
from .commands import env, run
from .edits import append, diff, replace, write
from .modules import load_modules
from .paths import cp, mv, rm, stat
from .search import find, grep, tree
from .statuses import status
from .texts import lines, read

HELPERS = {
    helper.__name__: helper
    for helper in (
        read, write, append, rm, mv, cp, stat, tree, find, grep, replace, diff, lines, run, env, output, status,
    )
}  # fmt: skip


def install(namespace, order):
    """Puts the helpers and what the modules define into the user's namespace. `order` is JSON: the modules, and the MIME type under which to show what is wrong with them."""
    order = json.loads(order)
    connect(namespace)
    added = dict(HELPERS)
    diagnostics = load_modules(order["modules"], added)
    namespace.update(added)
    _hide(namespace, added)
    if diagnostics:
        show({order["mime"]: diagnostics})


def _hide(namespace, added):
    """IPython lists its user's variables (`%who`); these are none of them."""
    shell = namespace.get("get_ipython", lambda: None)()
    hidden = getattr(shell, "user_ns_hidden", None)
    if isinstance(hidden, dict):
        hidden.update(added)
