import { expect, test } from "bun:test";
import { coalesceStreams, settleText } from "../../src/execute/coalesce-streams.ts";

const stream = (name: string, text: string) => ({ output_type: "stream", name, text });
const display = { output_type: "display_data", data: { "text/plain": "x" }, metadata: {} };

test("text of a stream is one output where it first came, standard output before standard error where they meet", () => {
  const outputs = [
    stream("stderr", "e1\n"),
    stream("stdout", "o1\n"),
    display,
    stream("stdout", "o2\n"),
    stream("stderr", "e2\n"),
  ];
  expect(coalesceStreams(outputs)).toEqual([stream("stdout", "o1\no2\n"), stream("stderr", "e1\ne2\n"), display]);
  expect(outputs[0]).toEqual(stream("stderr", "e1\n"));
});

test("a line that was written over is what a front end shows", () => {
  expect(settleText("10%\r20%\r100%\ndone\r\n")).toBe("100%\ndone\r\n");
  expect(settleText("0\r1\r2\r")).toBe("2\r");
  expect(settleText("a\r\r\nb")).toBe("a\r\r\nb");
  expect(settleText("\r\r")).toBe("\r\r");
  expect(settleText("loading\rok\n")).toBe("ok\n");
  expect(settleText("12\b\b34\b5\n\b\bx")).toBe("35\nx");
  expect(settleText("🐦🐦\b!")).toBe("🐦!");
  expect(settleText("1/2\b\b\b\b\b\r2/2 done\n")).toBe("2/2 done\n");
});

test("a long line without either is taken as it is, in no time", () => {
  const line = "x".repeat(2_000_000);
  expect(settleText(`${line}\n1\r2`)).toBe(`${line}\n2`);
});
