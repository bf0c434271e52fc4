import { expect, test } from "bun:test";
import { splitPercentScript } from "../../src/cli/percent-script.ts";

test("a script without marks is one cell, as it is", () => {
  expect(splitPercentScript("a = 1\n\nprint(a)\n")).toEqual([{ code: "a = 1\n\nprint(a)" }]);
  expect(splitPercentScript("\n\n")).toEqual([]);
});

test("marks start cells, give titles, and cells that are not code are left out", () => {
  const script =
    "import os\n# %% Load the data\nx = 1\n#%%\ny = 2\n# %% [markdown]\n# # Title\n# %% Plot [code] tags=[1]\nz\n# %%\n\n";
  expect(splitPercentScript(script)).toEqual([
    { code: "import os" },
    { code: "x = 1", title: "Load the data" },
    { code: "y = 2" },
    { code: "z", title: "Plot" },
  ]);
});

test("a byte-order mark, CRLF and percent signs inside code do no harm", () => {
  expect(splitPercentScript("\uFEFF# %% a\r\nx = 7 %% 2\r\n")).toEqual([{ code: "x = 7 %% 2", title: "a" }]);
});
