"""Is what was typed a whole cell? Asked by consoles before they send it."""

import ast
import codeop
import warnings

from .transform import may_hold_magic, split_cell_magic, transform


def answer_is_complete(content):
    """The content of an is_complete_reply."""
    code = content.get("code", "")
    status = check(code)
    return {"status": status, "indent": next_indent(code)} if status == "incomplete" else {"status": status}


def check(code):
    """`complete`, `incomplete` or `invalid`."""
    cell = split_cell_magic(code)
    if cell is not None:
        return "complete" if cell[2].endswith("\n") or not cell[2] and code.endswith("\n") else "incomplete"
    if code.rstrip(" \t").endswith("\\"):
        return "incomplete"
    compiler = codeop.CommandCompiler()
    compiler.compiler.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for source in (code, transform(code)) if may_hold_magic(code) else (code,):
            try:
                compiled = compiler(source, "<input>", "exec")
            except (SyntaxError, OverflowError, ValueError):
                continue
            return "incomplete" if compiled is None or is_open_block(code) else "complete"
    return "invalid"


def is_open_block(code):
    """A block is only over after an empty line: more of it may come."""
    lines = code.split("\n")
    last = lines[-1]
    return last[:1] in (" ", "\t") and bool(last.strip()) and len(lines) > 1


def next_indent(code):
    """The white space that the next line starts with."""
    last = code.rstrip("\n").rsplit("\n", 1)[-1]
    indent = last[: len(last) - len(last.lstrip())]
    return indent + "    " if last.rstrip().endswith(":") else indent
