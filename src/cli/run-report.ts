import type { NotebookCellDetails, NotebookDetails } from "../execute/notebook-model.ts";
import { cleanText } from "../render/clean.ts";
import type { ToolResult } from "../tools/tool.ts";

/** The run of one notebook, for a report. */
export interface ReportedRun {
  path: string;
  durationMs: number;
  result: ToolResult;
}

export const REPORT_FORMATS = ["junit", "json"] as const;

/** A report of all runs, for a CI server. */
export function formatReport(format: (typeof REPORT_FORMATS)[number], runs: readonly ReportedRun[]): string {
  return format === "json" ? formatJson(runs) : formatJunit(runs);
}

function formatJson(runs: readonly ReportedRun[]): string {
  const notebooks = runs.map(({ path, durationMs, result }) => ({
    path,
    ok: !result.isError,
    durationMs,
    ...result.details,
  }));
  const failed = runs.filter(({ result }) => result.isError).length;
  return `${JSON.stringify({ passed: runs.length - failed, failed, notebooks })}\n`;
}

/** A test suite a notebook, a test case a cell; what keeps a notebook from running at all is a case of its own. */
function formatJunit(runs: readonly ReportedRun[]): string {
  const suites = runs.map((run) => ({ run, cases: casesOf(run) }));
  const count = (kind: TestCase["kind"]) =>
    suites.flatMap(({ cases }) => cases).filter((one) => one.kind === kind).length;
  const all = suites.reduce((sum, { cases }) => sum + cases.length, 0);
  const total = runs.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const totals = { tests: all, failures: count("failure"), errors: count("error"), skipped: count("skipped") };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: "nuthatch run", ...totals, time: seconds(total) })}>`,
    ...suites.flatMap(({ run, cases }) => suiteLines(run, cases)),
    "</testsuites>",
    "",
  ].join("\n");
}

interface TestCase {
  name: string;
  kind: "passed" | "failure" | "error" | "skipped";
  durationMs: number;
  message: string;
  text: string;
}

function suiteLines({ path, durationMs }: ReportedRun, cases: readonly TestCase[]): string[] {
  const count = (kind: TestCase["kind"]) => cases.filter((one) => one.kind === kind).length;
  const counts = { tests: cases.length, failures: count("failure"), errors: count("error"), skipped: count("skipped") };
  return [
    `  <testsuite${attributes({ name: path, ...counts, time: seconds(durationMs) })}>`,
    ...cases.flatMap((one) => caseLines(path, one)),
    "  </testsuite>",
  ];
}

function caseLines(path: string, { name, kind, durationMs, message, text }: TestCase): string[] {
  const head = `    <testcase${attributes({ classname: path, name, time: seconds(durationMs) })}`;
  if (kind === "passed") return [`${head}/>`];
  if (kind === "skipped") return [`${head}>`, `      <skipped${attributes({ message })}/>`, "    </testcase>"];
  return [`${head}>`, `      <${kind}${attributes({ message })}>${escapeXml(text)}</${kind}>`, "    </testcase>"];
}

function casesOf({ path, durationMs, result }: ReportedRun): TestCase[] {
  const details = result.details as unknown as Partial<NotebookDetails>;
  const text = result.content.map((block) => ("text" in block ? block.text : "")).join("");
  const cells = details.cells ?? [];
  const cases = cells.map((cell) => caseOf(cell, details, text));
  const told = cases.some(({ kind }) => kind === "failure" || kind === "error");
  if (!result.isError || told) return cases;
  const message = result.details.code === undefined ? lastLine(text) : (text.split("\n")[0] as string);
  return [...cases, { name: path, kind: "error", durationMs, message, text }];
}

function caseOf(
  cell: NotebookCellDetails,
  { failedCell, cancelled }: Partial<NotebookDetails>,
  text: string,
): TestCase {
  const { index, id, durationMs, status, error } = cell;
  const base = { name: id === null ? `cell ${index}` : `cell ${index} (${id})`, durationMs, message: "", text: "" };
  if (status === "skipped") return { ...base, kind: "skipped", message: "skipped by its tag, or empty" };
  if (status === "pending") return { ...base, kind: "skipped", message: "did not run" };
  if (index !== failedCell) return { ...base, kind: "passed" };
  if (cancelled) return { ...base, kind: "error", message: lastLine(text), text };
  if (error === null) return { ...base, kind: "error", message: reasonLine(text), text };
  return { ...base, kind: "failure", message: `${error.name}: ${error.value}`, text: error.traceback.join("\n") };
}

/** Why a cell failed that raised nothing: its kernel died, or it asked for input. Lines on the rest of the run come after that. */
function reasonLine(text: string): string {
  const reasons = text.split("\n").filter((line) => /^(?:The Python kernel died: |\[stdin\] )/.test(line));
  return reasons.at(-1) ?? lastLine(text);
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

function attributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join("");
}

/** XML takes no control characters at all ("Extensible Markup Language", 2.2). */
function escapeXml(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return cleanText(text, false)
    .replace(/[\x00-\x08\x0b-\x1f\ufffe\uffff]/g, "")
    .replace(/[&<>"]/g, (character) => entities[character] as string);
}
