import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { KINDS, liveExecutor } from "./live-executor.ts";

for (const { kernel, missing } of KINDS) {
  describe.skipIf(missing)(`the init step on ${kernel}`, () => {
    test("gives the kernel its folder, first on the module path, and the session's two places", async () => {
      await using live = liveExecutor(kernel);
      await Bun.write(`${live.cwd}/beside.py`, "value = 7\n");
      const code = `import beside, json, os, sys
print(json.dumps([os.getcwd(), sys.path.index(os.getcwd()), sys.path.count(os.getcwd()), beside.value, os.environ["PI_SESSION_FILE"], os.environ["ARTIFACTS"]]))`;
      const [cwd, position, times, value, file, folder] = JSON.parse((await live.run([code])).text);
      expect([cwd, position, times, value]).toEqual([live.cwd, 0, 1, 7]);
      expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ cwd: live.cwd, artifactFolder: folder });
      expect(existsSync(folder)).toBe(true);
    });

    test("uses the places that a host has set", async () => {
      await using live = liveExecutor(kernel);
      const places = { PI_SESSION_FILE: `${live.home}/host.jsonl`, ARTIFACTS: `${live.home}/host` };
      const environment = { ...live.request([]).environment, ...places };
      const code = "import os; print(os.environ['PI_SESSION_FILE'], os.environ['ARTIFACTS'])";
      expect((await live.run([code], { environment })).text).toBe(`${places.PI_SESSION_FILE} ${places.ARTIFACTS}\n`);
      expect(existsSync(places.PI_SESSION_FILE)).toBe(false);
    });

    test("leaves no name behind, and the first cell is the first", async () => {
      await using live = liveExecutor(kernel, { settings: { prelude: false } });
      const code =
        "print([name for name in globals() if name in ('json', 'os', 'sys', 'place', 'PLACE')], len(In) - 1)";
      expect((await live.run([code])).text).toBe("[] 1\n");
    });
  });
}
