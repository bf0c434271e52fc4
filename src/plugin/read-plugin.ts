import { HOOK_KINDS, type Plugin } from "./api.ts";

const PARTS = ["name", "mime", "renderers", "hooks"];

/** Checks what a plugin's file exports by default and gives it back; throws a message that names what is wrong. */
export function readPlugin(value: unknown): Plugin {
  const plugin = readObject(value, "the default export");
  for (const key of Object.keys(plugin)) {
    if (!PARTS.includes(key)) throw new TypeError(`"${key}" is no part of a plugin; the parts are ${PARTS.join(", ")}`);
  }
  readText(plugin.name, "name");
  readList(plugin.mime, "mime", (handler, path) => {
    readText(handler.mime, `${path}.mime`);
    if (handler.rank !== undefined && typeof handler.rank !== "number") throw wrong(`${path}.rank`, "a number");
    readFunction(handler.capture, `${path}.capture`);
    readFunction(handler.text, `${path}.text`);
    if (handler.capture === undefined && handler.text === undefined) throw wrong(path, "given capture or text");
  });
  readList(plugin.renderers, "renderers", (renderer, path) => {
    readText(renderer.type, `${path}.type`);
    if (typeof renderer.render !== "function") throw wrong(`${path}.render`, "a function");
  });
  readHooks(plugin.hooks);
  return value as Plugin;
}

function readHooks(value: unknown): void {
  if (value === undefined) return;
  for (const [name, hook] of Object.entries(readObject(value, "hooks"))) {
    if (!Object.hasOwn(HOOK_KINDS, name)) {
      throw new TypeError(`"hooks.${name}" is no hook; the hooks are ${Object.keys(HOOK_KINDS).join(", ")}`);
    }
    readFunction(hook, `hooks.${name}`);
  }
}

function readList(value: unknown, name: string, readItem: (item: Record<string, unknown>, path: string) => void): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) throw wrong(name, "a list");
  for (const [index, item] of value.entries()) {
    const path = `${name}[${index}]`;
    readItem(readObject(item, path), path);
  }
}

function readObject(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(path, "an object");
  return value as Record<string, unknown>;
}

function readText(value: unknown, path: string): void {
  if (typeof value !== "string" || value === "") throw wrong(path, "a text");
}

function readFunction(value: unknown, path: string): void {
  if (value !== undefined && typeof value !== "function") throw wrong(path, "a function");
}

function wrong(path: string, expected: string): TypeError {
  return new TypeError(`"${path}" must be ${expected}`.replace('"the default export"', "the default export"));
}
