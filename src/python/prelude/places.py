"""Paths as the helpers take and give them."""

import pathlib

from .calls import Shown

_Base = type(pathlib.Path())


class Place(Shown, _Base):
    """A path that a helper gives back."""

    plain = pathlib.Path

    def __repr__(self):
        return "%s(%r)" % (_Base.__name__, self.as_posix())


def to_path(path):
    """A path from text, bytes or a path; `~` is the user's folder."""
    if isinstance(path, bytes):
        path = path.decode("utf-8", "surrogateescape")
    return pathlib.Path(path).expanduser()


def read_text(path, encoding="utf-8"):
    """A file's text with its line ends as they are. Raises ValueError where it is none in this encoding."""
    try:
        with open(str(path), encoding=encoding, newline="") as file:
            return file.read()
    except UnicodeDecodeError as error:
        hint = "name its encoding, or read it with pathlib.Path(...).read_bytes()"
        raise ValueError("%s is not text in %s (byte %d); %s" % (path, encoding, error.start, hint)) from None


def write_text(path, text, mode="w", encoding="utf-8"):
    with open(str(path), mode, encoding=encoding, newline="") as file:
        file.write(text)


def text_of(source):
    """The text that is meant: one with a line break is it, anything else is the path of a file."""
    if isinstance(source, str) and "\n" in source:
        return source
    return read_text(to_path(source))


def name_of(source):
    return "text" if isinstance(source, str) and "\n" in source else str(source)
