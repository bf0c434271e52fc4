import type { Plugin } from "nuthatch/plugin";
import charts from "./charts.ts";
import error from "./error.ts";
import html from "./html.ts";
import image from "./image.ts";
import json from "./json.ts";
import latex from "./latex.ts";
import markdown from "./markdown.ts";
import status from "./status.ts";
import svg from "./svg.ts";
import table from "./table.ts";

/** The plugins that are compiled into the binary. */
export const BUILT_IN_PLUGINS: readonly Plugin[] = [
  json,
  image,
  status,
  markdown,
  html,
  latex,
  svg,
  error,
  table,
  charts,
];
