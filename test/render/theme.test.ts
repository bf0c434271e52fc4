import { describe, expect, test } from "bun:test";
import { widthOf } from "../../src/render/cells.ts";
import { wrapColumns } from "../../src/render/text.ts";
import { createTheme, type Role } from "../../src/render/theme.ts";

const ROLES: Role[] = [
  "heading",
  "strong",
  "emphasis",
  "struck",
  "link",
  "muted",
  "accent",
  "success",
  "warning",
  "error",
  "keyword",
  "string",
  "number",
  "comment",
  "function",
  "type",
  "variable",
  "operator",
  "inserted",
  "removed",
];
const THEMES = (["16", "256", "truecolor"] as const).flatMap((colors) =>
  [true, false].map((light) => createTheme({ colors, light })),
);

describe("a theme", () => {
  test("styles without taking columns, and ends what it begins", () => {
    for (const theme of THEMES) {
      for (const role of ROLES) {
        const text = theme.style(role, "漢x");
        expect(widthOf(text)).toBe(3);
        if (text !== "漢x") expect(wrapColumns(`${text} plain`, 80)[0]).toEndWith("\x1b[0m plain");
      }
    }
  });

  test("leaves the style around another one as it was", () => {
    const theme = createTheme({ colors: "16" });
    const [line] = wrapColumns(theme.style("strong", `a${theme.style("error", "b")}c`), 80);
    expect(line).toBe("\x1b[1ma\x1b[0m\x1b[1;31mb\x1b[0m\x1b[1mc\x1b[0m");
  });

  test("is another one on a light background, and none without colours", () => {
    const [light, dark] = [createTheme({ colors: "256", light: true }), createTheme({ colors: "256" })];
    expect(ROLES.filter((role) => light.style(role, "x") === dark.style(role, "x"))).toEqual([
      "strong",
      "emphasis",
      "struck",
    ]);
    expect(createTheme({ colors: "none" }).style("error", "x")).toBe("x");
  });
});
