// Runs `bun test` with its report on standard error; the last line of standard output is "N passed, N failed". With
// `--once-more` (CI, whose machine has two cores and dozens of real kernels) files with a failure run again alone; what passes
// then is named as unsteady and counts as passed.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Report {
  total: number;
  skipped: string[];
  failed: { name: string; file: string }[];
}

const words = process.argv.slice(2).filter((word) => word !== "--once-more");
const first = await runTests(words);
const again = process.argv.includes("--once-more") ? await runOnceMore(first) : first.failed;
for (const name of first.skipped) process.stderr.write(`skipped: ${name}\n`);
process.stdout.write(`${first.total - again.length - first.skipped.length} passed, ${again.length} failed\n`);
process.exit(again.length === 0 ? 0 : 1);

/** What still fails when the files with a failure run alone. */
async function runOnceMore({ failed }: Report): Promise<Report["failed"]> {
  const files = [...new Set(failed.map(({ file }) => file))];
  if (files.length === 0 || files.includes("")) return failed;
  const second = await runTests(files);
  const left = failed.filter(({ name }) => second.failed.some((other) => other.name === name));
  for (const { name } of failed.filter((one) => !left.includes(one))) process.stderr.write(`unsteady: ${name}\n`);
  return [...left, ...second.failed.filter(({ name }) => !failed.some((other) => other.name === name))];
}

/** One run; a runner that dies without a failed test counts as one failure without a file. */
async function runTests(files: string[]): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "nuthatch-report-"));
  const path = join(folder, "junit.xml");
  const options = ["--timeout=60000", "--reporter=junit", `--reporter-outfile=${path}`];
  const code = await Bun.spawn(["bun", "test", ...options, ...files], { stdout: 2, stderr: 2 }).exited;
  const cases = [...readReport(path).matchAll(/<testcase name="([^"]*)"([^>]*?)(?:\/>|>\s*<(skipped|failure|error))/g)];
  rmSync(folder, { recursive: true, force: true });
  const named = (...kinds: string[]) => cases.filter(([, , , kind]) => kind !== undefined && kinds.includes(kind));
  const failed = named("failure", "error").map(([, name = "", attributes = ""]) => {
    return { name, file: / file="([^"]*)"/.exec(attributes)?.[1] ?? "" };
  });
  if (code !== 0 && failed.length === 0) failed.push({ name: `the runner ended with status ${code}`, file: "" });
  return {
    total: Math.max(cases.length, failed.length),
    skipped: named("skipped").map(([, name = ""]) => name),
    failed,
  };
}

/** The report, or nothing when the runner died before it wrote one. */
function readReport(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
