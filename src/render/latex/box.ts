import { widthOf } from "../cells.ts";
import { pad } from "../text.ts";

/** A formula laid out: lines of the same width, one of which stands on the base line of what is around. */
export interface Box {
  lines: string[];
  width: number;
  base: number;
}

export function textBox(text: string): Box {
  return { lines: [text], width: widthOf(text), base: 0 };
}

/** Boxes side by side on one base line. */
export function besideBox(boxes: Box[]): Box {
  if (boxes.length === 1) return boxes[0] as Box;
  const above = Math.max(0, ...boxes.map((box) => box.base));
  const below = Math.max(0, ...boxes.map((box) => box.lines.length - 1 - box.base));
  const lines = Array.from({ length: above + 1 + below }, (_, row) =>
    boxes.map((box) => box.lines[row - above + box.base] ?? " ".repeat(box.width)).join(""),
  );
  return { lines, width: boxes.reduce((sum, box) => sum + box.width, 0), base: above };
}

/** Boxes one above the other; the base line is that of `base`, one of them. */
export function stackBox(boxes: Box[], base: Box, align: "center" | "left" = "center"): Box {
  const width = Math.max(...boxes.map((box) => box.width));
  const before = boxes.slice(0, boxes.indexOf(base)).reduce((sum, box) => sum + box.lines.length, 0);
  return {
    lines: boxes.flatMap((box) => box.lines.map((line) => pad(line, width, align))),
    width,
    base: before + base.base,
  };
}

/** The pieces of tall brackets: alone, top, middle, bottom, and the point of a brace (Unicode, "Miscellaneous Technical"). */
const PIECES: Record<string, string> = {
  "(": "(⎛⎜⎝",
  ")": ")⎞⎟⎠",
  "[": "[⎡⎢⎣",
  "]": "]⎤⎥⎦",
  "{": "{⎧⎪⎩⎨",
  "}": "}⎫⎪⎭⎬",
  "|": "||||",
  "‖": "‖‖‖‖",
};

/** A bracket as tall as a box. */
export function bracketBox(bracket: string, height: number): Box {
  const pieces = PIECES[bracket];
  if (pieces === undefined || height === 1) return { ...textBox(bracket), lines: Array(height).fill(bracket) };
  const [, top, middle, bottom, point] = [...pieces] as [string, string, string, string, string?];
  const centre = Math.floor(height / 2);
  const lines = Array.from({ length: height }, (_, row) => {
    if (row === 0) return top;
    if (row === height - 1) return bottom;
    return row === centre && point !== undefined ? point : middle;
  });
  return { lines, width: 1, base: centre };
}
