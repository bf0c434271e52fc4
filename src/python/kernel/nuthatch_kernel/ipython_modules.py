"""`IPython.display` for the user: made here where IPython is not installed, redirected to this kernel where it is.

IPython without its own shell prints a repr where it should display.
"""

from .imports import import_kernel, import_standard

VERSION = (8, 0, 0, "nuthatch")
NAMES = ("IPython", "IPython.core", "IPython.core.display", "IPython.core.display_functions", "IPython.display")
REDIRECTED = ("display", "update_display", "clear_output", "publish_display_data")


class IPythonModules:
    """Makes or redirects the modules, for the import hooks; also the loader of the made ones."""

    def __init__(self, displays):
        self._displays = displays

    def install(self, hooks):
        for name in NAMES:
            hooks.missing[name] = self._find
        for name in ("IPython.core.display_functions", "IPython.core.display", "IPython.core.displaypub"):
            hooks.after[name] = self._redirect

    def _find(self, name):
        return import_standard("importlib.machinery").ModuleSpec(name, self, is_package=name in ("IPython", "IPython.core"))

    def create_module(self, _spec):
        return None

    def exec_module(self, module):
        if module.__name__ == "IPython":
            module.version_info = VERSION
            module.__version__ = "%d.%d.%d+%s" % VERSION
            module.get_ipython = lambda: None
            module.display = self._displays.display
        elif module.__name__ != "IPython.core":
            module.__dict__.update(self._contents())

    def _redirect(self, module):
        for name in REDIRECTED:
            if name in module.__dict__:
                setattr(module, name, getattr(self._displays, name))

    def _contents(self):
        contents = {name: getattr(self._displays, name) for name in REDIRECTED}
        for part in ("rich", "rich_media"):
            found = vars(import_kernel(part))
            contents.update((name, value) for name, value in found.items() if isinstance(value, type))
        bar = contents["ProgressBar"]
        contents["ProgressBar"] = lambda total: bar(total, self._displays)
        contents["DisplayHandle"] = type(self._displays.display(display_id=True))
        for kind in ("html", "markdown", "svg", "png", "jpeg", "latex", "json", "javascript", "pdf", "pretty"):
            contents["display_" + kind] = self._only(kind)
        return contents

    def _only(self, kind):
        mime = {"svg": "image/svg+xml", "png": "image/png", "jpeg": "image/jpeg", "pretty": "text/plain"}.get(kind)
        mime = mime or ("application/" if kind in ("json", "javascript", "pdf") else "text/") + kind

        def display_one(*values, raw=False, metadata=None):
            for value in values:
                if raw:
                    self._displays.publish_display_data({mime: value}, metadata)
                else:
                    self._displays.display(value, include={mime, "text/plain"}, metadata=metadata)

        display_one.__name__ = display_one.__qualname__ = "display_" + kind
        return display_one
