import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hasDriver, KernelDriver, resultText, streamText } from "./kernel-driver.ts";

describe.skipIf(!hasDriver)("the bundled kernel under jupyter_client", () => {
  let kernel: KernelDriver;

  beforeAll(async () => {
    kernel = await KernelDriver.start();
  });

  afterAll(async () => {
    await kernel[Symbol.asyncDispose]();
  });

  test("prints, gives the last expression as the result and keeps its state", async () => {
    await kernel.execute("x = 20");
    const cell = await kernel.execute("print(x * 2); x + 2");
    expect(streamText(cell)).toBe("40\n");
    expect(resultText(cell)).toBe("22");
    expect(cell.outputs.map((output) => output.type)).toEqual(["execute_input", "stream", "execute_result"]);
    expect(cell.reply).toMatchObject({ status: "ok", payload: [], user_expressions: {} });
  });

  test("shows the cell's own lines in a traceback", async () => {
    const cell = await kernel.execute("def share(n):\n    return 1 / n\nshare(0)");
    const error = cell.outputs.find((output) => output.type === "error");
    expect(error?.content.ename).toBe("ZeroDivisionError");
    expect(error?.content.traceback.join("\n")).toContain("    return 1 / n");
    expect(cell.reply.status).toBe("error");
  });

  test("ends a loop on SIGINT and keeps its state", async () => {
    await kernel.execute("kept = 1");
    const cell = await kernel.execute("print('ready', flush=True)\nwhile True: pass", { interruptWhen: "ready" });
    expect(cell.reply.ename).toBe("KeyboardInterrupt");
    expect(resultText(await kernel.execute("kept"))).toBe("1");
  });
});
