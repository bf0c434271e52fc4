// Runs `bun test` with its report on standard error; the last line of standard output is "N passed, N failed".
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "nuthatch-report-"));
const report = join(folder, "junit.xml");
const options = ["--timeout=60000", "--reporter=junit", `--reporter-outfile=${report}`];
const run = Bun.spawn(["bun", "test", ...options, ...process.argv.slice(2)], { stdout: 2, stderr: 2 });
const code = await run.exited;
const text = readReport(report);
rmSync(folder, { recursive: true, force: true });

const skipped = [...text.matchAll(/<testcase name="([^"]*)"[^>]*>\s*<skipped/g)].map((match) => match[1]);
for (const name of skipped) process.stderr.write(`skipped: ${name}\n`);
const broken = count(text, "failures") + count(text, "errors");
const passed = count(text, "tests") - broken - count(text, "skipped");
const failed = code === 0 ? broken : Math.max(1, broken);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);

/** The report, or nothing when the runner died before it wrote one. */
function readReport(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function count(xml: string, name: string): number {
  const head = /<testsuites[^>]*>/.exec(xml)?.[0] ?? "";
  return Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
}
