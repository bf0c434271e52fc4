"""Matplotlib without a display: Agg draws, and open figures become PNG outputs at plt.show() and after each cell."""

import io
import os

BACKEND = "MPLBACKEND"


def choose_backend():
    """Agg, for the kernel and its child processes, unless the user has chosen; a notebook's own backend is no choice."""
    if os.environ.get(BACKEND, "module://").startswith("module://"):
        os.environ[BACKEND] = "agg"


class Figures:
    """Fits pyplot to the kernel when it is imported."""

    def __init__(self, displays, interpreter):
        self._displays = displays
        self._interpreter = interpreter
        self._pyplot = None
        self._result = None

    def adapt(self, pyplot):
        """Called with matplotlib.pyplot once it has run."""
        self._pyplot = pyplot
        pyplot.show = lambda *_arguments, **_options: self.show()
        self._displays.formatter.by_type["matplotlib.figure.Figure"] = self._as_result
        self._interpreter.after_cell.append(self.show_open)

    def show(self):
        """plt.show(): displays all open figures and closes them."""
        pyplot = self._pyplot
        try:
            for number in pyplot.get_fignums():
                figure = pyplot.figure(number)
                if figure is not self._result and (figure.axes or figure.lines or figure.texts or figure.images):
                    data = {"image/png": draw(figure), "text/plain": repr(figure)}
                    self._displays.publish_display_data(data)
        finally:
            self._result = None
            pyplot.close("all")

    def show_open(self):
        """After a cell. Other backends keep their windows, or files, for themselves."""
        if self._pyplot.get_backend().lower() == "agg" and self._pyplot.get_fignums():
            self.show()

    def _as_result(self, figure):
        """A figure that is shown as a value; as a cell's result it is not shown again at the cell's end."""
        if self._interpreter.showing_result:
            self._result = figure
        return {"image/png": draw(figure)}


def draw(figure):
    """The PNG of a figure, cut to what is drawn."""
    file = io.BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight", facecolor=figure.get_facecolor())
    return file.getvalue()
