import { expect, test } from "bun:test";
import { join } from "node:path";
import { SessionLedger } from "../../src/execute/session-ledger.ts";
import { temporaryFolder } from "../nuthatch.ts";

test("a session that began while the one before it was ending is still known after its process was killed", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "sessions.log");
  const ledger = new SessionLedger(path);
  const leaveFirst = ledger.enter("gateway", "name:work");
  const leaveSecond = ledger.enter("gateway", "name:work");
  leaveFirst();
  expect(new SessionLedger(path).lostOn("gateway").map(([key]) => key)).toEqual(["name:work"]);
  leaveSecond();
  expect(new SessionLedger(path).lostOn("gateway")).toEqual([]);
});
