// Preloaded by `bun test`: builds dist/nuthatch when a source is newer, so that no test ever drives an old binary.
import { statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const modified = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
const sources = [...new Bun.Glob("{src,plugins}/**/*.{ts,py,md}").scanSync({ cwd: root }), "package.json", "bun.lock"];

if (sources.some((path) => modified(path) > modified("dist/nuthatch"))) {
  const build = Bun.spawnSync([join(root, "scripts/build")], { cwd: root });
  if (build.exitCode !== 0) throw new Error(`the build failed:\n${build.stderr}`);
}
