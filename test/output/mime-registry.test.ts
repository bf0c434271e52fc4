import { describe, expect, test } from "bun:test";
import { errorMessage } from "../../src/errors.ts";
import { MimeRegistry } from "../../src/output/mime-registry.ts";
import type { MimeHandler } from "../../src/output/model.ts";

const asText = (mime: string, rank: number): MimeHandler => ({ mime, rank, text: (data) => `${mime}: ${data}` });
const HANDLERS = [asText("text/markdown", 90), asText("text/html", 50)];

describe("MimeRegistry", () => {
  test("Markdown goes before plain text, plain text before HTML", () => {
    const registry = new MimeRegistry(HANDLERS);
    const bundle = { "text/html": "h", "text/plain": "p", "text/markdown": "m" };
    expect(registry.capture(bundle).text).toBe("text/markdown: m");
    expect(registry.capture({ "text/html": "h", "text/plain": "p" }).text).toBe("p");
    expect(registry.capture({ "text/html": "h" })).toEqual({
      text: "text/html: h",
      textMime: "text/html",
      outputs: [],
    });
  });

  test("a type that a plugin teaches goes before plain text, unless its rank says otherwise", () => {
    const own: MimeHandler = { mime: "x/own", text: () => "own" };
    const bundle = { "x/own": 1, "text/plain": "p" };
    expect(new MimeRegistry([own]).capture(bundle).text).toBe("own");
    expect(new MimeRegistry([{ ...own, rank: 10 }]).capture(bundle).text).toBe("p");
    expect(new MimeRegistry([...HANDLERS, own]).capture({ ...bundle, "text/markdown": "m" }).text).toBe(
      "text/markdown: m",
    );
  });

  test("a handler that stands in for another has its rank", () => {
    const own: MimeHandler = { mime: "text/html", text: () => "own" };
    const registry = new MimeRegistry([...HANDLERS, own]);
    expect(registry.capture({ "text/html": "h" }).text).toBe("own");
    expect(registry.capture({ "text/html": "h", "text/plain": "p" }).text).toBe("p");
  });

  test("what IPython's display classes print is used only when nothing says more", () => {
    const registry = new MimeRegistry(HANDLERS);
    const plain = "<IPython.core.display.HTML object>";
    expect(registry.capture({ "text/plain": plain, "text/html": "h" }).text).toBe("text/html: h");
    expect(registry.capture({ "text/plain": plain }).text).toBe(plain);
  });

  test("structured outputs stand beside the text, and an empty text says that there is none", () => {
    const json: MimeHandler = { mime: "application/json", capture: (data) => ({ type: "json", data }) };
    const quiet: MimeHandler = { mime: "x/quiet", rank: 100, text: () => "" };
    const registry = new MimeRegistry([...HANDLERS, json, quiet]);
    expect(registry.capture({ "application/json": [1], "text/plain": "p" })).toEqual({
      text: "p",
      textMime: "text/plain",
      outputs: [{ type: "json", data: [1], mimeType: "application/json" }],
    });
    expect(registry.capture({ "x/quiet": 1, "text/plain": "p" }).text).toBe("");
  });

  test("text that a notebook keeps as a list of lines is joined, JSON is left as it is", () => {
    const json: MimeHandler = { mime: "application/json", capture: (data) => ({ type: "json", data }) };
    const captured = new MimeRegistry([json]).capture({ "text/plain": ["a\n", "b"], "application/json": ["a", "b"] });
    expect(captured.text).toBe("a\nb");
    expect(captured.outputs[0]?.data).toEqual(["a", "b"]);
  });

  test("a handler that throws or answers in a wrong shape is named and gives way to the one before it", () => {
    const errors: string[] = [];
    const throws: MimeHandler = {
      mime: "text/html",
      rank: 95,
      text: () => {
        throw new Error("boom");
      },
    };
    const wrong = { mime: "text/markdown", rank: 96, text: async () => "late" } as unknown as MimeHandler;
    const registry = new MimeRegistry([...HANDLERS, throws, wrong], (handler, error) =>
      errors.push(`${handler.mime}: ${errorMessage(error)}`),
    );
    expect(registry.capture({ "text/html": "h" }).text).toBe("text/html: h");
    expect(registry.capture({ "text/markdown": "m" }).text).toBe("text/markdown: m");
    expect(registry.capture({ "text/html": "h" }).text).toBe("text/html: h");
    expect(errors).toEqual([
      "text/html: boom",
      "text/markdown: text() must return a string or undefined, not a promise: handlers are synchronous",
    ]);
  });

  test("types without a handler and values of a wrong type give nothing", () => {
    expect(new MimeRegistry().capture({ "x/unknown": 1, "text/plain": { no: "text" } })).toEqual({ outputs: [] });
  });
});
