"""From a cell as it was typed to Python: `%magic`, `!command`, `x = !command`, `name?` and `%%cell magic`.

None of these is valid Python, so a cell that parses is left as it is; in others only the beginnings of logical lines are
looked at, never the inside of a string or a bracket.
"""

import re

CALL = "get_ipython()."
_MARKS = re.compile(r"^\s*[%!?]|=\s*[%!]|\?\s*(#.*)?$", re.MULTILINE)
_INDENT = re.compile(r"(?:[ \t]*\n)*([ \t]*)")
_CELL = re.compile(r"\s*%%(\w+)[ \t]*(.*)\n?")
_ASSIGNED = re.compile(r"^([\w.,\s*\[\]'\"]+?=)\s*([%!].*)$", re.DOTALL)
_HELP = re.compile(r"^(\?{1,2})?\s*([\w.]+|%{1,2}\w+)\s*(\?{1,2})?\s*(?:#.*)?$")
_TOKEN = re.compile(
    r"#[^\n]*|(?:'''|\"\"\")|'(?:\\.|[^'\\\n])*'?|\"(?:\\.|[^\"\\\n])*\"?|[()\[\]{}]|\\\n|\n|[^#'\"()\[\]{}\\\n]+|\\", re.DOTALL
)


def may_hold_magic(source):
    """Whether it is worth to look closer at a cell that is no Python."""
    return _MARKS.search(source) is not None


def without_indent(source):
    """A cell whose first line is indented, without that indentation in each line that has it, as IPython takes pasted code."""
    indent = _INDENT.match(source).group(1)
    return re.sub("^" + indent, "", source, flags=re.MULTILINE) if indent else source


def split_cell_magic(source):
    """`(name, arguments, body)` of a cell that starts with `%%name`, else None."""
    found = _CELL.match(source)
    return None if found is None else (found.group(1), found.group(2).strip(), source[found.end() :])


def transform(source):
    """The Python of a cell with magics in it; a line stays a line, so that tracebacks point at the right one."""
    cell = split_cell_magic(source)
    if cell is not None:
        return "%srun_cell_magic(%r, %r, %r)" % ((CALL,) + cell)
    return "".join(map(_transform_line, split_logical_lines(source)))


def split_logical_lines(source):
    """Cuts a cell after each line that is complete; a line that starts with a mark ends where it ends."""
    lines, start, depth, position = [], 0, 0, 0
    while position < len(source):
        if position == start and source[start:].lstrip(" \t")[:1] in ("%", "!"):
            position = _end_of_command(source, position)
            lines.append(source[start:position])
            start = position
            continue
        token = _TOKEN.match(source, position).group()
        position += len(token)
        if token in ("'''", '"""'):
            end = source.find(token, position)
            position = len(source) if end < 0 else end + 3
        elif token in "([{":
            depth += 1
        elif token in ")]}":
            depth = max(0, depth - 1)
        elif token == "\n" and depth == 0:
            lines.append(source[start:position])
            start = position
    return lines + [source[start:]] if start < len(source) else lines


def _end_of_command(source, position):
    """A command goes on where its line ends in a backslash."""
    while True:
        end = source.find("\n", position)
        if end < 0:
            return len(source)
        if source[end - 1] != "\\":
            return end + 1
        position = end + 1


def _transform_line(line):
    body = line.strip()
    indent = line[: len(line) - len(line.lstrip())]
    rest = "\n" * (line.count("\n") - indent.count("\n"))
    command = _transform_command(body)
    if command is None:
        assigned = _ASSIGNED.match(body)
        value = assigned and _transform_command(assigned.group(2), True)
        command = value and "%s %s" % (assigned.group(1), value)
    return line if command is None else indent + command + rest


def _transform_command(body, assigned=False):
    joined = re.sub(r"\\\n\s*", " ", body)
    if body.startswith("!!") or assigned and body.startswith("!"):
        return "%sgetoutput(%r)" % (CALL, joined.lstrip("!").strip())
    if body.startswith("!"):
        return "%ssystem(%r)" % (CALL, joined[1:].strip())
    found = _HELP.match(body) if "?" in body else None
    if found is not None and (found.group(1) or found.group(3)):
        return "%sshow_help(%r, %d)" % (CALL, found.group(2), len(found.group(1) or found.group(3)) - 1)
    if re.match(r"%\w", body):
        name, _, arguments = joined[1:].partition(" ")
        return "%srun_line_magic(%r, %r)" % (CALL, name, arguments.strip())
    return None
