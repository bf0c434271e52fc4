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

test("a session that lives in this process is not told to be lost", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "sessions.log");
  new SessionLedger(path).enter("gateway", "name:gone");
  const ledger = new SessionLedger(path);
  ledger.enter("gateway", "name:alive");
  expect(ledger.lostOn("gateway").map(([key]) => key)).toEqual(["name:gone"]);
});
