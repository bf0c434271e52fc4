// Code with half of a surrogate pair is an error inside ipykernel, which sent no reply: the call waited until its timeout.
import { describe, expect, test } from "bun:test";
import { KINDS, liveExecutor } from "../execute/live-executor.ts";

describe.each(KINDS.filter(({ missing }) => !missing))("$kernel", ({ kernel }) => {
  test("takes code with half of a surrogate pair as a file would hold it", async () => {
    await using live = liveExecutor(kernel);
    const { isError, text } = await live.run(["x = 1", 'print("a\ud83d", x)'], { timeout: 10 });
    expect(isError).toBe(false);
    expect(text).toContain("a\ufffd 1");
  });
});
