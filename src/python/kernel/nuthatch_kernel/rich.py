"""The objects of IPython.display, for a Python without IPython: values that know their MIME form."""

import html
import json
import mimetypes
import os
from binascii import b2a_base64

from .imports import import_standard


class DisplayObject:
    """Data from an argument, a file or a URL, with metadata of its own."""

    mime = "text/plain"
    _read_mode = "r"

    def __init__(self, data=None, url=None, filename=None, metadata=None):
        if isinstance(data, os.PathLike):
            data = os.fspath(data)
        if isinstance(data, str) and url is None and filename is None and self._names_a_place(data):
            url, filename, data = (data, None, None) if "://" in data else (None, data, None)
        self.url = url
        self.filename = filename
        self.metadata = dict(metadata or {})
        self.data = data
        if data is None and (filename or url):
            self.reload()

    def reload(self):
        """Reads the file or URL again."""
        if self.filename is not None:
            with open(self.filename, self._read_mode, **({} if "b" in self._read_mode else {"encoding": "utf-8"})) as file:
                self.data = file.read()
        elif self.url is not None:
            with import_standard("urllib.request").urlopen(self.url) as answer:
                found = answer.read()
            self.data = found if "b" in self._read_mode else found.decode("utf-8", "replace")

    def _names_a_place(self, _data):
        return False

    def __repr__(self):
        return "<IPython.core.display.%s object>" % type(self).__name__

    def _repr_mimebundle_(self, include=None, exclude=None):
        data = {self.mime: self._content(), "text/plain": repr(self)}
        return data, {self.mime: self.metadata} if self.metadata else {}

    def _content(self):
        return self.data


class TextDisplayObject(DisplayObject):
    """Text of some markup."""

    def __init__(self, data=None, url=None, filename=None, metadata=None):
        if data is not None and not isinstance(data, (str, os.PathLike)):
            raise TypeError("%s expects text, not %r" % (type(self).__name__, data))
        super().__init__(data, url, filename, metadata)


class HTML(TextDisplayObject):
    mime = "text/html"

    def __html__(self):
        return self.data


class Markdown(TextDisplayObject):
    mime = "text/markdown"


class Latex(TextDisplayObject):
    mime = "text/latex"


class Math(Latex):
    def _content(self):
        return "$\\displaystyle %s$" % self.data.strip("$")


class SVG(TextDisplayObject):
    mime = "image/svg+xml"

    def _names_a_place(self, data):
        return "<" not in data


class Javascript(TextDisplayObject):
    mime = "application/javascript"


class Pretty(TextDisplayObject):
    def __repr__(self):
        return self.data


class Code(TextDisplayObject):
    """Source text; shown as Markdown with its language."""

    def __init__(self, data=None, url=None, filename=None, language=""):
        super().__init__(data, url, filename)
        self.language = language or os.path.splitext(filename or "")[1][1:]

    def __repr__(self):
        return self.data

    def _repr_mimebundle_(self, include=None, exclude=None):
        text = "```%s\n%s\n```" % (self.language, self.data)
        return {"text/html": "<pre>%s</pre>" % html.escape(self.data), "text/markdown": text, "text/plain": self.data}


class JSON(DisplayObject):
    """Data for a collapsible tree."""

    mime = "application/json"

    def __init__(self, data=None, url=None, filename=None, expanded=False, metadata=None, root="root", **options):
        super().__init__(data, url, filename, dict(metadata or {}, expanded=expanded, root=root, **options))

    def _content(self):
        return json.loads(self.data) if isinstance(self.data, str) else self.data


class GeoJSON(JSON):
    mime = "application/geo+json"


class Image(DisplayObject):
    """A picture from bytes, a file or a URL. A URL is only linked unless `embed` is set."""

    _read_mode = "rb"

    def __init__(
        self, data=None, url=None, filename=None, format=None, embed=None, width=None, height=None, retina=False,
        unconfined=False, metadata=None, alt=None
    ):
        self.format, self.width, self.height, self.alt = format, width, height, alt
        self.embed = embed
        metadata = dict(metadata or {})
        metadata.update((name, value) for name, value in (("width", width), ("height", height)) if value)
        if alt:
            metadata["alt"] = alt
        super().__init__(data, url, filename, metadata)
        self.mime = self._find_mime()

    def reload(self):
        if self.filename is not None or self.embed:
            super().reload()

    def _names_a_place(self, data):
        return True

    def _find_mime(self):
        if self.format:
            return "image/" + {"jpg": "jpeg", "svg": "svg+xml"}.get(self.format.lower(), self.format.lower())
        for start, kind in ((b"\x89PNG", "png"), (b"\xff\xd8", "jpeg"), (b"GIF8", "gif"), (b"RIFF", "webp")):
            if isinstance(self.data, bytes) and self.data.startswith(start):
                return "image/" + kind
        return mimetypes.guess_type(self.filename or self.url or "")[0] or "image/png"

    def _content(self):
        return self.data if isinstance(self.data, str) else b2a_base64(self.data, newline=False).decode("ascii")

    def _repr_mimebundle_(self, include=None, exclude=None):
        if self.data is None:
            return {"text/html": self._link(), "text/plain": repr(self)}
        return super()._repr_mimebundle_(include, exclude)

    def _link(self):
        sizes = "".join(' %s="%s"' % (name, self.metadata[name]) for name in ("width", "height", "alt") if name in self.metadata)
        return '<img src="%s"%s/>' % (html.escape(self.url), sizes)
