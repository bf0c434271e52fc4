import { join } from "node:path";
import { ArtifactStore } from "../output/artifacts.ts";
import { PicturePainter } from "../render/picture/picture-painter.ts";
import type { Terminal } from "../render/terminal.ts";
import type { Invocation } from "./command.ts";

/** The most rows that a picture takes of a screen. */
const PICTURE_ROWS = 30;

/** What draws pictures on a terminal; a pager takes text and colours only, so that pictures in it are made of blocks. */
export function createPainter({ pictures, tmux, colors, cell, rows }: Terminal, paging = false): PicturePainter {
  const blocks = colors === "truecolor" || colors === "256" ? "blocks" : "none";
  const protocol = paging && pictures !== "none" ? blocks : pictures;
  return new PicturePainter({ protocol, tmux, colors, cell, rows: Math.max(1, Math.min(PICTURE_ROWS, rows - 2)) });
}

/** Finds the file of an artifact; undefined for one that is gone, which is still named by its link. */
export function openArtifacts({ directories }: Invocation): (id: string) => string | undefined {
  const store = new ArtifactStore(join(directories.state, "artifacts"));
  return (id) => {
    try {
      return store.find(id).path;
    } catch {
      return undefined;
    }
  };
}
