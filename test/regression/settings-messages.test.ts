import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadSettings } from "../../src/settings.ts";
import { temporaryFolder } from "../nuthatch.ts";

function load(config: string, environment: Record<string, string> = {}, flags: Record<string, string> = {}) {
  using home = temporaryFolder();
  mkdirSync(join(home.path, "config"));
  writeFileSync(join(home.path, "config", "config.json"), config);
  try {
    return loadSettings({ configDirectory: join(home.path, "config"), environment, flags }).settings;
  } catch (error) {
    return (error as Error).message.replace(join(home.path, "config", "config.json"), "FILE");
  }
}

test.each<[string, string]>([
  ["[]", "FILE: the settings must be one JSON object"],
  ["null", "FILE: the settings must be one JSON object"],
  ['{"warmKernels": 1.5}', 'FILE: "warmKernels" must be a whole number, not 1.5'],
  ['{"maxSessions": 0}', 'FILE: "maxSessions" must be 1 or more, not 0'],
  ['{"idleTimeout": -1}', 'FILE: "idleTimeout" must be 0 or more, not -1'],
  ['{"kernelMode": "x"}', 'FILE: "kernelMode" must be "session" or "per-call", not "x"'],
  ['{"prelude": "maybe"}', 'FILE: "prelude" must be true or false, not "maybe"'],
  ['{"plugins": "a.ts"}', 'FILE: "plugins" must be a list of texts, not "a.ts"'],
  ['{"environment": {"deny": "A"}}', 'FILE: "environment.deny" must be a list of texts, not "A"'],
  ['{"environment": "A"}', 'FILE: "environment" must be an object with the lists "allow" and "deny", not "A"'],
  ['{"environment": {"alow": []}}', 'FILE: "environment.alow" is not a setting'],
])("%s in the file is told what is allowed", (config, message) => {
  expect(load(config)).toBe(message);
});

test("a variable or a flag is told the same", () => {
  expect(load("{}", { NUTHATCH_WARM_KERNELS: "1.5" })).toBe(
    'NUTHATCH_WARM_KERNELS: "warmKernels" must be a whole number, not 1.5',
  );
  expect(load("{}", {}, { maxSessions: "0" })).toBe('--max-sessions: "maxSessions" must be 1 or more, not 0');
  expect(load("{}", {}, { environment: '{"alow":[]}' })).toBe('--environment: "environment.alow" is not a setting');
});

test("an empty variable is as good as none, and a byte-order mark in the file is no matter", () => {
  const settings = load('\ufeff{"maxSessions": 3}', { NUTHATCH_MAX_SESSIONS: "", NUTHATCH_KERNEL: "" });
  expect(settings).toMatchObject({ maxSessions: 3, kernel: "auto" });
});
