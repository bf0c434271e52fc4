import { describe, expect, test } from "bun:test";
import { EditBuffer } from "../../src/cli/repl/edit-buffer.ts";
import { InputHistory } from "../../src/cli/repl/input-history.ts";
import { KeyReader } from "../../src/cli/repl/key-reader.ts";
import { ReplInput } from "../../src/cli/repl/repl-input.ts";
import type { KernelQuestions } from "../../src/execute/ask-kernel.ts";
import { temporaryFolder } from "../nuthatch.ts";

describe("keys", () => {
  test("are the same however the terminal's bytes are cut", () => {
    const bytes = Buffer.from("a漢\x1b[A\x1b[200~x\r\ny\x03\x1b[201~\r\x1b[1;5D\x1b\rz\x01\x1b[99~é");
    const whole = new KeyReader().read(bytes);
    expect(whole).toEqual([
      { name: "text", text: "a漢" },
      { name: "up" },
      { name: "text", text: "x\ny\x03" },
      { name: "enter" },
      { name: "word-left" },
      { name: "newline" },
      { name: "text", text: "z" },
      { name: "home" },
      { name: "text", text: "é" },
    ]);
    const reader = new KeyReader();
    const cut = [...bytes].flatMap((byte) => reader.read(Buffer.from([byte])));
    const joined = (keys: typeof whole) => keys.map((key) => ("text" in key ? key.text : `<${key.name}>`)).join("");
    expect(joined(cut)).toBe(joined(whole));
  });
});

describe("text that is written", () => {
  test("is moved in and removed from by graphemes, words and lines", () => {
    const buffer = new EditBuffer();
    buffer.insert("first 👩‍🚀\nsecond line\n");
    expect(buffer.up()).toBe(true);
    expect(buffer.up()).toBe(true);
    buffer.end();
    buffer.backspace();
    expect(buffer.text).toBe("first \nsecond line\n");
    buffer.killWord();
    expect(buffer.text).toBe("\nsecond line\n");
    expect([buffer.up(), buffer.down()]).toEqual([false, true]);
    buffer.wordRight();
    buffer.killLine();
    expect(buffer.text).toBe("\nsecond\n");
    buffer.killLine();
    expect([buffer.text, buffer.down()]).toEqual(["\nsecond", false]);
    buffer.killToStart();
    buffer.insert("x");
    buffer.left();
    buffer.delete();
    expect([buffer.text, buffer.cursor]).toEqual(["\n", 1]);
  });

  test("keeps the cursor out of a grapheme when it goes to another line", () => {
    const buffer = new EditBuffer();
    buffer.set("👩‍🚀\nabc", 8);
    buffer.up();
    expect([0, 5]).toContain(buffer.cursor);
  });
});

test("the history goes back to inputs that begin as the draft, forth to the draft, and is kept", () => {
  using folder = temporaryFolder();
  const history = new InputHistory(folder.path);
  for (const input of ["x = 1", "print(x)", "x = 2", "x = 2"]) history.add(input);
  expect([history.older("x"), history.older("?"), history.older("?")]).toEqual(["x = 2", "x = 1", undefined]);
  expect([history.newer(), history.newer(), history.newer()]).toEqual(["x = 2", "x", undefined]);
  const later = new InputHistory(folder.path);
  expect([later.older(""), later.older(""), later.older("")]).toEqual(["x = 2", "print(x)", "x = 1"]);
  later.endWalk();
  expect(later.older("print")).toBe("print(x)");
});

test("where the kernel cannot tell, a loop of a shell is not run before it is whole", async () => {
  using folder = temporaryFolder();
  const submitted: string[] = [];
  const nothing = () => {};
  const kernel = { isComplete: async () => ({ status: "unknown", indent: "" }) } as unknown as KernelQuestions;
  const input = new ReplInput(new InputHistory(folder.path), kernel, {
    ...{ submit: (code) => submitted.push(code), interrupt: nothing, leave: nothing, clear: nothing },
    isBusy: () => false,
  });
  for (const text of ["for i in 1 2; do", "echo $i", "done", ""]) {
    if (text !== "") await input.press({ name: "text", text });
    await input.press({ name: "enter" });
  }
  expect(submitted.map((code) => code.trimEnd())).toEqual(["for i in 1 2; do\necho $i\ndone"]);
});
