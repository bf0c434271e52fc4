import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ArtifactStore } from "../output/artifacts.ts";
import { PicturePainter } from "../render/picture/picture-painter.ts";
import type { RenderContext } from "../render/renderer.ts";
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

/** Finds the file of an artifact, and the picture in it; undefined for one that is gone, which is still named by its link. */
export function openArtifacts({
  directories,
}: Invocation): Required<Pick<RenderContext, "artifactPath" | "artifactPicture">> {
  const store = new ArtifactStore(join(directories.state, "artifacts"));
  const unlessGone = <Found>(find: () => Found): Found | undefined => {
    try {
      return find();
    } catch {
      return undefined;
    }
  };
  return {
    artifactPath: (id) => unlessGone(() => store.find(id).path),
    artifactPicture: (id, mimeType) =>
      unlessGone(() => ({ mimeType, data: readFileSync(store.find(id).path).toString("base64") })),
  };
}
