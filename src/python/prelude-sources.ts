import initSource from "./prelude/__init__.py" with { type: "text" };
import artifactsSource from "./prelude/artifacts.py" with { type: "text" };
import callsSource from "./prelude/calls.py" with { type: "text" };
import commandsSource from "./prelude/commands.py" with { type: "text" };
import editsSource from "./prelude/edits.py" with { type: "text" };
import excerptsSource from "./prelude/excerpts.py" with { type: "text" };
import modulesSource from "./prelude/modules.py" with { type: "text" };
import pathsSource from "./prelude/paths.py" with { type: "text" };
import patternsSource from "./prelude/patterns.py" with { type: "text" };
import placesSource from "./prelude/places.py" with { type: "text" };
import processesSource from "./prelude/processes.py" with { type: "text" };
import queriesSource from "./prelude/queries.py" with { type: "text" };
import searchSource from "./prelude/search.py" with { type: "text" };
import statusesSource from "./prelude/statuses.py" with { type: "text" };
import textsSource from "./prelude/texts.py" with { type: "text" };
import tracebacksSource from "./prelude/tracebacks.py" with { type: "text" };

/** The files of the prelude's package, by name; a test compares the list with the folder. */
export const preludeSources: Record<string, string> = {
  "__init__.py": initSource,
  "artifacts.py": artifactsSource,
  "calls.py": callsSource,
  "commands.py": commandsSource,
  "edits.py": editsSource,
  "excerpts.py": excerptsSource,
  "modules.py": modulesSource,
  "paths.py": pathsSource,
  "patterns.py": patternsSource,
  "places.py": placesSource,
  "processes.py": processesSource,
  "queries.py": queriesSource,
  "search.py": searchSource,
  "statuses.py": statusesSource,
  "texts.py": textsSource,
  "tracebacks.py": tracebacksSource,
};
