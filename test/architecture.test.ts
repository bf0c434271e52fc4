import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const ROOT = join(import.meta.dir, "..");
const LEAVES = ["errors", "log", "paths", "settings", "files", "lock", "c-library", "open-files", "exit", "version"];
const MAX_FILE_LINES = 300;
const HTML_TO_MARKDOWN = [
  "hast-util-from-html",
  "hast-util-to-mdast",
  "mdast-util-to-markdown",
  "mdast-util-gfm-table",
  "mdast-util-gfm-strikethrough",
];

/** Who may import whom, and which npm packages; a type-only import does not count. `lazy` holds for `await import()` only. */
interface Rule {
  imports: string[];
  lazy?: string[];
  npm?: string[];
}

const RULES: Record<string, Rule> = {
  errors: { imports: LEAVES },
  log: { imports: LEAVES },
  paths: { imports: LEAVES },
  settings: { imports: LEAVES, npm: ["valibot"] },
  files: { imports: LEAVES },
  lock: { imports: LEAVES },
  "c-library": { imports: LEAVES },
  "open-files": { imports: LEAVES },
  version: { imports: LEAVES },
  notebook: { imports: LEAVES },
  output: { imports: LEAVES, npm: HTML_TO_MARKDOWN },
  python: { imports: LEAVES },
  kernel: { imports: [...LEAVES, "python", "kernel/zmtp"] },
  "kernel/zmtp": { imports: LEAVES },
  gateway: { imports: [...LEAVES, "kernel"], npm: ["valibot"] },
  execute: { imports: [...LEAVES, "notebook", "output", "python"], npm: ["@jupyterlab/services"] },
  render: { imports: [...LEAVES, "output"], npm: ["@codemirror/legacy-modes", "@codemirror/streamparser"] },
  plugin: { imports: [...LEAVES, "output", "render"], npm: ["valibot"] },
  tools: { imports: [...LEAVES, "notebook", "output"], npm: ["valibot", "@valibot/to-json-schema"] },
  app: {
    imports: [...LEAVES, "notebook", "output", "python", "plugin", "runtime", "tools", "plugins"],
    lazy: ["execute", "gateway", "kernel", "plugin", "plugins", "tools"],
    npm: ["valibot"],
  },
  runtime: { imports: LEAVES, lazy: ["execute", "gateway", "kernel", "python"] },
  daemon: { imports: LEAVES },
  "daemon/server": { imports: [...LEAVES, "daemon"] },
  mcp: { imports: [...LEAVES, "tools"], npm: ["@modelcontextprotocol/server"] },
  cli: {
    imports: [...LEAVES, "notebook", "output", "tools", "render", "plugin", "daemon", "plugins"],
    lazy: ["app", "mcp", "daemon/server", "gateway", "kernel", "python"],
    npm: [],
  },
  main: { imports: LEAVES, lazy: ["cli"] },
  plugins: { imports: ["plugin/api"] },
};

interface Import {
  from: string;
  target: string;
  lazy: boolean;
}

/** The room of a file: its folder, a sub-folder with a rule of its own, or the leaf's name. */
function roomOf(path: string): string {
  const inside = path.replace(/\.(ts|py|json)$/, "").replace(/^src\//, "");
  if (inside.startsWith("kernel/zmtp/")) return "kernel/zmtp";
  if (inside.startsWith("daemon/server")) return "daemon/server";
  if (inside === "plugin/api") return inside;
  if (inside.startsWith("plugins/")) return "plugins";
  return inside.split("/")[0] as string;
}

function readImports(path: string): Import[] {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const source = readFileSync(join(ROOT, path), "utf8");
  return transpiler.scanImports(source).map((found) => ({
    from: path,
    target: found.path.startsWith(".") ? relative(ROOT, join(ROOT, dirname(path), found.path)) : found.path,
    lazy: found.kind === "dynamic-import",
  }));
}

function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function breaksRule(found: Import): string | undefined {
  const room = roomOf(found.from);
  const ruleRoom = room === "plugin/api" ? "plugin" : room;
  const rule = RULES[ruleRoom];
  if (rule === undefined) return `${found.from}: the folder has no rule`;
  if (/^(node:|bun:|bun$)/.test(found.target)) return undefined;
  if (!/^(src|plugins|package\.json)/.test(found.target)) {
    if (found.target === "nuthatch/plugin" && room === "plugins") return undefined;
    const name = packageName(found.target);
    return rule.npm?.includes(name) ? undefined : `${found.from}: ${ruleRoom} may not use the package ${name}`;
  }
  if (found.target === "package.json")
    return room === "version" ? undefined : `${found.from}: only version reads package.json`;
  const target = roomOf(found.target);
  const same = target === ruleRoom || (target === "plugin/api" && ruleRoom === "plugin");
  const allowed = [...rule.imports, ...(found.lazy ? (rule.lazy ?? []) : [])];
  const reached = target === "plugin/api" && allowed.includes("plugin") ? "plugin" : target;
  return same || allowed.includes(reached) ? undefined : `${found.from}: ${ruleRoom} may not import ${target}`;
}

function findCycles(imports: Import[]): string[] {
  const edges = Map.groupBy(
    imports.filter((found) => !found.lazy),
    (found) => found.from,
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, trail: string[]) => {
    if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file].join(" -> "));
    if (done.has(file) || trail.includes(file)) return;
    for (const edge of edges.get(file) ?? []) visit(edge.target, [...trail, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  return cycles;
}

const files = [...new Bun.Glob("{src,plugins}/**/*.ts").scanSync({ cwd: ROOT })].sort();
const imports = files.flatMap(readImports);

describe("architecture", () => {
  test("every import follows the table", () => {
    expect(imports.map(breaksRule).filter((broken) => broken !== undefined)).toEqual([]);
  });

  test("there are no import cycles", () => {
    expect(findCycles(imports)).toEqual([]);
  });

  test(`no source file is longer than ${MAX_FILE_LINES} lines`, () => {
    const lines = (path: string) => readFileSync(join(ROOT, path), "utf8").trimEnd().split("\n").length;
    const python = [...new Bun.Glob("src/python/**/*.py").scanSync({ cwd: ROOT })];
    expect([...files, ...python].filter((path) => lines(path) > MAX_FILE_LINES)).toEqual([]);
  });

  test("the rules themselves refuse what they should", () => {
    const refused = [
      { from: "src/notebook/x.ts", target: "src/kernel/model.ts", lazy: false },
      { from: "src/gateway/x.ts", target: "src/execute/x.ts", lazy: true },
      { from: "src/cli/x.ts", target: "src/app.ts", lazy: false },
      { from: "src/cli/x.ts", target: "src/daemon/server-x.ts", lazy: false },
      { from: "plugins/x.ts", target: "src/output/model.ts", lazy: false },
      { from: "src/notebook/x.ts", target: "valibot", lazy: false },
    ];
    expect(refused.map(breaksRule).filter((broken) => broken === undefined)).toEqual([]);
    expect(
      findCycles([
        { from: "a", target: "b", lazy: false },
        { from: "b", target: "a", lazy: false },
      ]),
    ).toEqual(["a -> b -> a"]);
  });
});
