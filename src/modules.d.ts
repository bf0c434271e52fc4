/** Bundled Python sources arrive as text. */
declare module "*.py" {
  const source: string;
  export default source;
}

/** Bundled Markdown arrives as text. */
declare module "*.md" {
  const text: string;
  export default text;
}
