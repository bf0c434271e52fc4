/** The prelude's helpers by category, as the description of the `python` tool lists them; parameters in brackets are optional. */
export const HELPERS: Record<string, string[]> = {
  files: [
    "read(path, [offset, limit])",
    "write(path, content)",
    "append(path, content)",
    "rm(path, [recursive])",
    "mv(source, target)",
    "cp(source, target)",
    "stat(path)",
  ],
  search: ["tree([path, depth])", "find(pattern, [path])", "grep(pattern, [path, glob, ignore_case, context])"],
  text: ["lines(source, [start, end])", "replace(path, old, new, [regex])", "diff(first, second)"],
  system: ["run(command, [cwd, timeout, input])", "env(name, [value])"],
  session: ["output(id, [offset, limit, query])", "status(op, **facts)"],
};

/** One line for each category. */
export function listHelpers(): string {
  return Object.entries(HELPERS)
    .map(([category, helpers]) => `  ${category}: ${helpers.join(" ")}`)
    .join("\n");
}
