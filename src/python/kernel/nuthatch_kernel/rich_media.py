"""The objects of IPython.display that show themselves as HTML: sound, film, frames, links, progress."""

import html
import io
import mimetypes
import os
import struct
from binascii import b2a_base64

from .imports import import_standard
from .rich import DisplayObject


class Audio(DisplayObject):
    """Sound from a file, a URL, bytes, or a list of samples with their `rate`."""

    _read_mode = "rb"

    def __init__(
        self, data=None, filename=None, url=None, embed=None, rate=None, autoplay=False, normalize=True, *, element_id=None
    ):
        if data is not None and not isinstance(data, (str, bytes, os.PathLike)):
            data = to_wave(data, rate, normalize)
        self.autoplay = autoplay
        self.embed = embed
        super().__init__(data, url, filename)

    def reload(self):
        if self.filename is not None or self.embed:
            super().reload()

    def _names_a_place(self, data):
        return True

    def _repr_html_(self):
        play = ' autoplay="autoplay"' if self.autoplay else ""
        return '<audio controls="controls"%s><source src="%s"/></audio>' % (play, self._source("audio/wav"))

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": self._repr_html_(), "text/plain": repr(self)}

    def _source(self, fallback):
        if self.data is None:
            return html.escape(self.url)
        mime = mimetypes.guess_type(self.filename or self.url or "")[0] or fallback
        return "data:%s;base64,%s" % (mime, b2a_base64(self.data, newline=False).decode("ascii"))


class Video(Audio):
    """A film from a file, a URL or bytes."""

    def __init__(self, data=None, url=None, filename=None, embed=None, mimetype=None, width=None, height=None, **options):
        super().__init__(data, filename, url, embed)
        self.mimetype = mimetype
        self.width, self.height = width, height

    def _repr_html_(self):
        source = self._source(self.mimetype or "video/mp4")
        return '<video src="%s" controls%s></video>' % (source, sizes(self.width, self.height))


class IFrame:
    """A page inside the page."""

    def __init__(self, src, width, height, extras=(), **params):
        query = "&".join("%s=%s" % pair for pair in params.items())
        self.src = src + ("?" + query if query else "")
        self.width, self.height = width, height

    def _repr_html_(self):
        return '<iframe src="%s"%s frameborder="0" allowfullscreen></iframe>' % (
            html.escape(self.src),
            sizes(self.width, self.height),
        )


class YouTubeVideo(IFrame):
    """A film by its id."""

    def __init__(self, id, width=400, height=300, **params):
        self.id = id
        super().__init__("https://www.youtube.com/embed/" + id, width, height, **params)


class FileLink:
    """A link to a file."""

    def __init__(self, path, url_prefix="", **_options):
        self.path = os.fspath(path)
        self.url_prefix = url_prefix

    def __repr__(self):
        return os.path.abspath(self.path)

    def _repr_html_(self):
        if not os.path.exists(self.path):
            return "Path (<tt>%s</tt>) doesn't exist" % html.escape(self.path)
        return '<a href="%s" target="_blank">%s</a><br>' % (
            html.escape(self.url_prefix + self.path),
            html.escape(self.path),
        )


class FileLinks(FileLink):
    """Links to the files below a folder."""

    def _repr_html_(self):
        folders = sorted(os.walk(self.path))
        paths = [os.path.join(folder, name) for folder, _, names in folders for name in sorted(names)]
        return "".join(FileLink(path, self.url_prefix)._repr_html_() for path in paths)


class ProgressBar:
    """A bar that its `progress` moves; iterating counts it up."""

    def __init__(self, total, displays):
        self.total = total
        self._progress = 0
        self._handle = None
        self._displays = displays

    def __repr__(self):
        done = int(60 * self._progress / self.total) if self.total else 60
        return "[%s%s] %s/%s" % ("=" * done, " " * (60 - done), self._progress, self.total)

    def _repr_html_(self):
        return "<progress style='width:60ex' max='%s' value='%s'></progress>" % (self.total, self._progress)

    def display(self):
        self._handle = self._displays.display(self, display_id=True)

    @property
    def progress(self):
        return self._progress

    @progress.setter
    def progress(self, value):
        self._progress = value
        if self._handle is not None:
            self._handle.update(self)

    def __iter__(self):
        self.display()
        for step in range(self.total):
            self.progress = step
            yield step
        self.progress = self.total


def sizes(width, height):
    """HTML attributes of a size."""
    return "".join(' %s="%s"' % pair for pair in (("width", width), ("height", height)) if pair[1] is not None)


def to_wave(samples, rate, normalize=True):
    """A WAV file of samples between -1 and 1; two lists are two channels."""
    if rate is None:
        raise ValueError("rate must be given with samples")
    channels = [list(map(float, one)) for one in samples] if hasattr(samples[0], "__len__") else [list(map(float, samples))]
    peak = max((abs(value) for one in channels for value in one), default=0) or 1
    scale = 32767 / peak if normalize or peak > 1 else 32767
    frames = [int(value * scale) for step in zip(*channels) for value in step]
    file = io.BytesIO()
    with import_standard("wave").open(file, "wb") as writer:
        writer.setnchannels(len(channels))
        writer.setsampwidth(2)
        writer.setframerate(rate)
        writer.writeframes(struct.pack("<%dh" % len(frames), *frames))
    return file.getvalue()
