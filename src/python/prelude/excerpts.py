"""How much of a text is printed: all of what was asked for line by line, the beginning of what is long."""

from .calls import say

PREVIEW_LINES = 50
LISTED_LINES = 400
LONGEST_LINE = 400
PREVIEW_CHARACTERS = 4_000
LISTED_CHARACTERS = 40_000


def say_beginning(text, more="more"):
    """Prints a text's beginning, and how much follows."""
    say_lines(text.splitlines(), PREVIEW_LINES, PREVIEW_CHARACTERS, more)


def say_lines(lines, most=LISTED_LINES, characters=LISTED_CHARACTERS, more="more"):
    """Prints lines up to these limits, and how many there are beyond."""
    shown, left = [], characters
    for line in lines[:most]:
        shown.append(line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + "…")
        left -= len(shown[-1]) + 1
        if left < 0:
            break
    rest = len(lines) - len(shown)
    if rest > 0:
        shown.append("[… %s %s %s]" % (format(rest, ","), more, "line" if rest == 1 else "lines"))
    say("\n".join(shown))


def counted(count, one, many=None):
    """`1 line`, `1,200 lines`."""
    return "%s %s" % (format(count, ","), one if count == 1 else many or one + "s")
