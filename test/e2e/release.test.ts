import { expect, test } from "bun:test";
import { join } from "node:path";
import { VERSION } from "../../src/version.ts";
import { temporaryFolder } from "../nuthatch.ts";

const ROOT = join(import.meta.dir, "..", "..");

// Of the platforms only this one: the others are cross-compiled with a runtime that is downloaded.
test.skipIf(process.platform !== "linux")("a release has a binary that runs, its checksums and the licenses", () => {
  using folder = temporaryFolder();
  const platform = `linux-${process.arch}`;
  const out = join(folder.path, "release");
  const made = Bun.spawnSync([join(ROOT, "scripts/release"), platform], {
    env: { ...process.env, RELEASE_DIRECTORY: out },
  });
  expect([made.exitCode, made.exitCode === 0 ? "" : made.stderr.toString()]).toEqual([0, ""]);
  const checked = Bun.spawnSync(["sha256sum", "-c", "SHA256SUMS"], { cwd: out });
  expect(checked.stdout.toString()).toBe(
    ["LICENSE", "THIRD-PARTY-LICENSES.txt", `nuthatch-${VERSION}-${platform}`].map((name) => `${name}: OK\n`).join(""),
  );
  const run = Bun.spawnSync([join(out, `nuthatch-${VERSION}-${platform}`), "--version"]);
  expect(run.stdout.toString()).toBe(`${VERSION}\n`);
  const licenses = Bun.spawnSync(
    ["grep", "-c", "^@modelcontextprotocol/server .* (Apache-2.0)$", "THIRD-PARTY-LICENSES.txt"],
    {
      cwd: out,
    },
  );
  expect(licenses.stdout.toString()).toBe("1\n");
});
