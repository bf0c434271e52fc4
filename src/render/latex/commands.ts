/** Commands that leave room. */
export const SPACES: Record<string, string> = {
  "\\,": " ",
  "\\;": " ",
  "\\:": " ",
  "\\!": "",
  "\\ ": " ",
  "~": " ",
  "\\quad": "  ",
  "\\qquad": "    ",
};

/** The brackets of an environment. */
export const FENCES: Record<string, [string, string]> = {
  pmatrix: ["(", ")"],
  bmatrix: ["[", "]"],
  Bmatrix: ["{", "}"],
  vmatrix: ["|", "|"],
  Vmatrix: ["‖", "‖"],
  cases: ["{", ""],
};

/** Commands whose argument is text, not math. */
export const TEXT = new Set([
  "text",
  "textrm",
  "textbf",
  "textit",
  "texttt",
  "textsf",
  "mbox",
  "operatorname",
  "operatorname*",
]);

/** Commands that change only how their argument looks. */
export const PLAIN = new Set([
  "mathrm",
  "mathit",
  "mathsf",
  "mathtt",
  "mathnormal",
  "overbrace",
  "underbrace",
  "boxed",
  "substack",
  "emph",
]);

/** Commands that are left out with their argument. */
export const DROPPED = new Set([
  "label",
  "tag",
  "tag*",
  "color",
  "phantom",
  "vspace",
  "hspace",
  "vphantom",
  "hphantom",
  "require",
]);

/** Commands that are left out; what follows them stays. */
export const IGNORED =
  /^(?:right|middle|[bB]igg?[lrm]?|displaystyle|textstyle|scriptstyle|scriptscriptstyle|limits|nolimits|nonumber|notag|hline|rm|bf|it|cal|mathstrut|strut|centering|noindent|allowbreak)$/;
