import { describe, expect, test } from "bun:test";
import { widthOf } from "../../../src/render/cells.ts";
import { renderNotebook } from "../../../src/render/notebook/notebook-lines.ts";
import { PicturePainter } from "../../../src/render/picture/picture-painter.ts";
import type { Picture } from "../../../src/render/renderer.ts";
import { colorContext } from "../contexts.ts";
import { corpusNames, HAS_CORPUS, outputRendering, readCorpus } from "../corpus.ts";

/** All that a line may hold: text and colours. */
const RAW = /\x1b(?!\[[\d;:]*m)|[\x00-\x1a\x1c-\x1f\x7f-\x9f]/;

describe.skipIf(!HAS_CORPUS)("the notebooks of the corpus", () => {
  test.each(corpusNames())(
    "%s is rendered at any width with no line too wide and no raw control character",
    async (name) => {
      for (const [width, expanded] of [
        [20, false],
        [80, true],
        [200, false],
      ] as const) {
        const display = {
          protocol: "blocks",
          tmux: false,
          colors: "truecolor",
          cell: { width: 10, height: 20 },
          rows: 20,
        } as const;
        const painter = new PicturePainter(display);
        const picture = (wanted: Picture, columns: number) => painter.lines(wanted, columns);
        let count = 0;
        for await (const lines of renderNotebook(
          await readCorpus(name),
          await outputRendering(),
          { ...colorContext(width, expanded), picture },
          painter,
        )) {
          for (const line of lines) {
            count++;
            if (widthOf(line) > width || RAW.test(line))
              throw new Error(`${width}: ${JSON.stringify(line.slice(0, 500))}`);
          }
        }
        expect(count).toBeGreaterThan(0);
      }
    },
  );
});
