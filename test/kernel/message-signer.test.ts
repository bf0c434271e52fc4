import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../src/errors.ts";
import type { Channel, KernelMessage } from "../../src/kernel/message.ts";
import { MessageSigner, makeMessage } from "../../src/kernel/message-signer.ts";

const PYTHON = join(import.meta.dir, "../../.venv/bin/python");
const CONTENT = { execution_state: "idle", text: "süß \u{1f330}", nested: { list: [1, 2.5, null] } };

function runSession(key: string, action: "sign" | "check", text: string) {
  const script = join(import.meta.dir, "jupyter-session.py");
  const run = Bun.spawnSync([PYTHON, script, key, action, text], { stderr: "pipe" });
  if (!run.success) throw new Error(run.stderr.toString());
  return JSON.parse(run.stdout.toString());
}

function refusal(read: () => unknown): string | undefined {
  try {
    read();
  } catch (error) {
    return errorCode(error) === "kernel_message_refused" ? (error as Error).message : String(error);
  }
  return undefined;
}

/** A message whose content is the given text, correctly signed. */
function signText(signer: MessageSigner, key: string, content: string | Uint8Array): Uint8Array[] {
  const frames = signer.encode(makeMessage("iopub", "status", {}, "s"));
  frames[5] = typeof content === "string" ? Buffer.from(content) : content;
  const hasher = new Bun.CryptoHasher("sha256", key);
  for (const part of frames.slice(2, 6)) hasher.update(part);
  frames[1] = Buffer.from(hasher.digest("hex"));
  return frames;
}

/** Signed as a `stream` message of a kernel. */
function signStream(signer: MessageSigner, content: string | Uint8Array): Uint8Array[] {
  const frames = signer.encode(makeMessage("iopub", "stream", {}, "s"));
  frames[1] = Buffer.alloc(0);
  frames[5] = typeof content === "string" ? Buffer.from(content) : content;
  return frames;
}

/** The message, or the first piece of it. */
function decode(signer: MessageSigner, channel: Channel, frames: Uint8Array[]): KernelMessage {
  const [message] = signer.decode(channel, frames);
  return message!;
}

describe.skipIf(!existsSync(PYTHON))("a message signer and jupyter_client", () => {
  for (const key of ["secret", ""]) {
    test(`read each other's messages with ${key ? "a" : "an empty"} key`, () => {
      const signer = new MessageSigner(key);
      const frames = runSession(key, "sign", JSON.stringify(CONTENT)).map((frame: string) =>
        Buffer.from(frame, "base64"),
      );
      const message = decode(signer, "iopub", frames);
      expect(message).toMatchObject({ channel: "iopub", content: CONTENT, header: { msg_type: "status" } });
      expect(message.parent_header.msg_type).toBe("execute_request");
      expect(message.buffers.map(String)).toEqual([String(Buffer.from("raw buffer"))]);

      const ours = { ...makeMessage("shell", "comm_msg", CONTENT, "me"), buffers: [Buffer.from("ours")] };
      const sent = signer.encode(ours).map((frame) => Buffer.from(frame).toString("base64"));
      expect(runSession(key, "check", JSON.stringify(sent))).toEqual(["comm_msg", CONTENT, ["ours"]]);
    });
  }

  test("jupyter_client refuses what was signed with another key", () => {
    const sent = new MessageSigner("other").encode(makeMessage("shell", "comm_msg", {}, "me"));
    const frames = JSON.stringify(sent.map((frame) => Buffer.from(frame).toString("base64")));
    expect(() => runSession("secret", "check", frames)).toThrow("Invalid Signature");
  });
});

describe("a message signer", () => {
  const frames = () => new MessageSigner("secret").encode(makeMessage("iopub", "status", CONTENT, "me"));

  test("refuses a wrong, a shortened and a missing signature", () => {
    const signer = new MessageSigner("secret");
    expect(refusal(() => decode(new MessageSigner("other"), "iopub", frames()))).toContain("its signature is wrong");
    expect(refusal(() => decode(signer, "iopub", frames().with(1, Buffer.from("abc"))))).toContain(
      "its signature is wrong",
    );
    expect(refusal(() => decode(signer, "iopub", frames().with(1, new Uint8Array())))).toContain(
      "its signature is wrong",
    );
    const altered = frames();
    altered[5] = Buffer.from('{"execution_state":"busy"}');
    expect(refusal(() => decode(signer, "iopub", altered))).toContain("its signature is wrong");
  });

  test("refuses a message that it has read before", () => {
    const signer = new MessageSigner("secret");
    const once = frames();
    decode(signer, "iopub", once);
    expect(refusal(() => decode(signer, "iopub", once))).toContain("it was received before");
    decode(signer, "iopub", frames());
  });

  test("refuses what is no Jupyter message", () => {
    const signer = new MessageSigner("secret");
    expect(refusal(() => decode(signer, "shell", []))).toContain("it is not a Jupyter message");
    expect(refusal(() => decode(signer, "shell", frames().slice(0, 4)))).toContain("it is not a Jupyter message");
    expect(refusal(() => decode(signer, "shell", signText(signer, "secret", "[]")))).toContain("a part is no object");
    expect(refusal(() => decode(signer, "shell", signText(signer, "secret", "{")))).toContain("a part is no JSON");
  });

  test("reads the numbers that Python writes and JSON has not as null", () => {
    const signer = new MessageSigner("secret");
    const text = String.raw`{"a": NaN, "b": [-Infinity, Infinity, 1], "c": "NaN \" Infinity", "dNaN": "\\"}`;
    expect(decode(signer, "iopub", signText(signer, "secret", text)).content).toEqual({
      a: null,
      b: [null, null, 1],
      c: 'NaN " Infinity',
      dNaN: "\\",
    });
  });

  test("reads bytes that are not UTF-8 as replacement characters", () => {
    const signer = new MessageSigner("secret");
    const content = Buffer.concat([Buffer.from('{"text":"a'), Uint8Array.of(0xed, 0xa0, 0x80), Buffer.from('b"}')]);
    const read = decode(signer, "iopub", signText(signer, "secret", content));
    expect(read.content.text).toBe("a\ufffd\ufffd\ufffdb");
  });

  describe("cuts the long text of a stream", () => {
    const pieceBytes = 2 ** 18;
    // Each is one unit that must not be cut; with 0 to 11 bytes before it the cut falls on each of its bytes.
    const units = ["é", "€", "\u{1f330}", "\n", "\\", '"', "\u0001", '\\"', "\\\\u0041"];
    for (const unit of units) {
      test(`between characters and escapes: ${JSON.stringify(unit)}`, () => {
        const signer = new MessageSigner("");
        for (let before = 0; before < 12; before++) {
          const text = "x".repeat(before) + unit.repeat(pieceBytes);
          const pieces = [...signer.decode("iopub", signStream(signer, JSON.stringify({ name: "stderr", text })))];
          expect(pieces.length).toBeGreaterThan(1);
          expect(pieces.map(({ content }) => content.name)).toEqual(pieces.map(() => "stderr"));
          expect(pieces.map(({ content }) => content.text).join("") === text).toBe(true);
          expect(pieces.every(({ content }) => String(content.text).isWellFormed())).toBe(true);
          expect(new Set(pieces.map(({ header }) => header.msg_id)).size).toBe(pieces.length);
        }
      });
    }

    test("between characters that are two escapes", () => {
      const signer = new MessageSigner("");
      for (let before = 0; before < 12; before++) {
        const escapes = "x".repeat(before) + "\\ud83c\\udf30".repeat(pieceBytes / 8);
        const content = `{"name":"stdout","text":"${escapes}"}`;
        const pieces = [...signer.decode("iopub", signStream(signer, content))];
        expect(pieces.length).toBeGreaterThan(1);
        const texts = pieces.map(({ content: { text } }) => String(text));
        expect(texts.join("") === JSON.parse(content).text).toBe(true);
        expect(texts.every((text) => text.isWellFormed())).toBe(true);
      }
    });

    test("and nothing else of its content", () => {
      const signer = new MessageSigner("");
      const content = { name: "stdout", text: "x".repeat(10), more: "y".repeat(2 * pieceBytes), last: [1] };
      expect(
        [...signer.decode("iopub", signStream(signer, JSON.stringify(content)))].map((one) => one.content),
      ).toEqual([content]);
    });

    test("when it is not UTF-8", () => {
      const signer = new MessageSigner("");
      const head = Buffer.from('{"name":"stdout","text":"');
      const content = Buffer.concat([head, Buffer.alloc(2 * pieceBytes, 0x80), Buffer.from('"}')]);
      const pieces = [...signer.decode("iopub", signStream(signer, content))];
      expect(pieces.map(({ content: { text } }) => text).join("") === "\ufffd".repeat(2 * pieceBytes)).toBe(true);
    });
  });
});
