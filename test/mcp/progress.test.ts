import { expect, test } from "bun:test";
import { type Progress, ProgressReporter } from "../../src/mcp/progress.ts";

const output = (text: string) => ({ content: [{ type: "text" as const, text }], details: {} });

/** Collects reports; `next(count)` resolves when that many have arrived. */
function collect() {
  const reports: Progress[] = [];
  let waiting: { count: number; resolve(): void } | undefined;
  const send = async (progress: Progress) => {
    reports.push(progress);
    if (waiting && reports.length >= waiting.count) waiting.resolve();
  };
  const next = (count: number) =>
    new Promise<void>((resolve) => {
      if (reports.length >= count) resolve();
      else waiting = { count, resolve };
    });
  return { reports, send, next };
}

test("output is reported as it comes, close pieces together, with a number that always grows", async () => {
  const { reports, send, next } = collect();
  const reporter = new ProgressReporter(send);
  reporter.update(output("one\n"));
  reporter.update(output("two\n"));
  await next(1);
  reporter.update(output("three\n"));
  await next(2);
  reporter.stop();
  expect(reports.map((report) => report.message)).toEqual(["one\ntwo", "three"]);
  expect(reports[1]!.progress).toBeGreaterThan(reports[0]!.progress);
});

test("while a report is under way the output is gathered, and only its end is kept", async () => {
  const { reports, send, next } = collect();
  const gate = Promise.withResolvers<void>();
  const reporter = new ProgressReporter(async (progress) => {
    await send(progress);
    await gate.promise;
  });
  reporter.update(output("first\n"));
  await next(1);
  for (let line = 0; line < 500; line++) reporter.update(output(`line ${line}\n`));
  gate.resolve();
  await next(2);
  reporter.stop();
  expect(reports[1]!.message.endsWith("line 499")).toBe(true);
  expect(reports[1]!.message.length).toBeLessThanOrEqual(1000);
});

test("nothing is reported after stop or after a report that could not be sent", async () => {
  const { reports, send, next } = collect();
  const stopped = new ProgressReporter(send);
  stopped.update(output("lost\n"));
  stopped.stop();
  const broken = new ProgressReporter(async () => {
    throw new Error("closed");
  });
  broken.update(output("x"));
  const working = new ProgressReporter(send);
  working.update(output("later\n"));
  await next(1);
  working.stop();
  expect(reports.map((report) => report.message)).toEqual(["later"]);
});
