// Prints the license text of every package that is compiled into the binary, and of the runtime that carries it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface Manifest {
  name: string;
  version: string;
  license?: string;
  dependencies?: Record<string, string>;
}

const root = join(import.meta.dir, "..");
const found = new Map<string, string>();
collect(root);
const bun = readManifest(join(root, "node_modules", "bun"));
const runtime = `bun ${bun.version} (${bun.license})\n\nSee https://bun.sh/docs/project/license for the libraries that it links.\n`;
process.stdout.write([runtime, ...[...found.values()].sort()].join(`\n${"-".repeat(80)}\n\n`));

/** Takes every package that the one in `folder` depends on, once a version. */
function collect(folder: string): void {
  for (const name of Object.keys(readManifest(folder).dependencies ?? {})) {
    const place = locate(name, folder);
    if (place === undefined) continue;
    const { version, license = "no license named" } = readManifest(place);
    const key = `${name} ${version}`;
    if (found.has(key)) continue;
    found.set(key, `${key} (${license})\n\n${licenseText(place)}`);
    collect(place);
  }
}

/** Node's resolution: the nearest node_modules above `folder` that has the package. */
function locate(name: string, folder: string): string | undefined {
  for (let place = folder; place.startsWith(root); place = dirname(place)) {
    const candidate = join(place, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return candidate;
  }
  return undefined;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

function licenseText(folder: string): string {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  return (
    files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n") || "(no license file in the package)\n"
  );
}
