"""Patterns of file names: `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any number of folders."""

import re

_TOKENS = re.compile(r"\*\*/|\*\*|\*|\?|\[[!^]?\]?[^\]]*\]|[{},]|.", re.DOTALL)
_FIXED = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def glob_pattern(pattern):
    """A compiled expression for a whole name or path. A leading `./` and a trailing `/` mean nothing."""
    if pattern.startswith("./"):
        pattern = pattern[2:]
    depth, parts = 0, []
    for token in _TOKENS.findall(pattern.rstrip("/")):
        if token == "{":
            depth += 1
            parts.append("(?:")
        elif token == "}" and depth:
            depth -= 1
            parts.append(")")
        elif token == "," and depth:
            parts.append("|")
        elif token[0] == "[" and len(token) > 1:
            parts.append("[" + token[1:-1].replace("\\", "\\\\").replace("!", "^", token[1] == "!") + "]")
        else:
            parts.append(_FIXED.get(token) or re.escape(token))
    return re.compile("".join(parts) + (")" * depth) + r"\Z", re.DOTALL)
