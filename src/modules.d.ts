/** Bundled Python sources arrive as text. */
declare module "*.py" {
  const source: string;
  export default source;
}
