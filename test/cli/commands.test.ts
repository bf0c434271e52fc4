import { expect, test } from "bun:test";
import { completionTable } from "../../src/cli/completion/table.ts";

test("the choices that usages spell are plain words, as shells need them", () => {
  const { valueChoices, wordChoices } = completionTable();
  const words = [...valueChoices, ...wordChoices].flatMap(({ choices }) => choices);
  expect(words.length).toBeGreaterThan(10);
  expect(words.filter((word) => !/^[\w-]+$/.test(word))).toEqual([]);
});
