/** How much a preview shows; expanded views have their own, wider bounds, so that no output can freeze a terminal. */
export const PREVIEW_LIMITS = {
  /** Lines of code, and of an output, in a collapsed view of a tool. */
  COLLAPSED_LINES: 5,
  /** Lines of an output, and of a cell's code, in a notebook that is shown whole. */
  NOTEBOOK_LINES: 40,
  NOTEBOOK_CODE_LINES: 400,
  /** Lines of anything in an expanded view. */
  EXPANDED_LINES: 20_000,
  /** UTF-16 units of a text; a line can be longer than any number of lines. */
  COLLAPSED_CHARACTERS: 50_000,
  EXPANDED_CHARACTERS: 2_000_000,
  /** Units beyond which code, and a line of it, is shown without colours. */
  HIGHLIGHTED_CHARACTERS: 200_000,
  HIGHLIGHTED_LINE: 2_000,
  /** Units of Markdown and of LaTeX that are drawn; both are made of many small pieces. */
  MARKDOWN_CHARACTERS: 200_000,
  LATEX_CHARACTERS: 20_000,
} as const;
