import { basename } from "node:path";
import { invalidInput } from "../errors.ts";
import type { Artifact } from "../output/artifact-index.ts";
import type { ArtifactStore } from "../output/artifacts.ts";
import { TextSanitizer } from "../output/text-sanitizer.ts";
import { renderPicture } from "../render/picture/describe.ts";
import type { Invocation } from "./command.ts";
import { openTerminal } from "./open-terminal.ts";
import { createPainter } from "./pictures.ts";
import { createRenderContext } from "./render-context.ts";
import { writeOut } from "./standard-output.ts";

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** An artifact on a terminal: a picture is drawn, a text is cleaned but for its colours. Throws `invalid_input` for other bytes. */
export async function showArtifact(store: ArtifactStore, id: string, invocation: Invocation): Promise<void> {
  const artifact = store.find(id);
  const terminal = await openTerminal(invocation);
  if (PICTURES.includes(artifact.mimeType)) {
    const painter = createPainter(terminal);
    const context = createRenderContext(terminal, painter, invocation);
    const picture = { data: Buffer.from(await store.read(id)).toString("base64"), mimeType: artifact.mimeType };
    const facts = { mimeType: artifact.mimeType, artifactId: artifact.id };
    const draw = () => renderPicture(picture, facts, { ...context, artifactPath: () => artifact.path });
    draw();
    await painter.settle();
    writeOut(`${draw().join("\n")}\n`);
    return;
  }
  const sanitizer = new TextSanitizer(terminal.colors === "none" ? {} : { colors: true });
  for (const piece of store.readPieces(id)) {
    if (piece.includes(0)) throw notText(artifact);
    writeOut(sanitizer.write(piece));
  }
  writeOut(sanitizer.finish());
}

function notText({ id, mimeType, path }: Artifact): Error {
  const message = `artifact ${id} is ${mimeType}, which is nothing for a terminal`;
  return invalidInput(message, "id", `nuthatch artifact ${id} > ${basename(path)}`);
}
