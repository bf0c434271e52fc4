import { sanitizeText } from "../../output/text-sanitizer.ts";
import { cleanText } from "../clean.ts";

/** A carriage return within a line, a backspace, or a sequence that moves the cursor or erases. */
const REWRITES = /\r(?!\n)|\x08|(?:\x1b\[|\x9b)[\d;?]*[A-HJKSTfhlsu]|\x1b[78DEM]/;

/** What a stream looked like when it had been printed: progress bars are their last state, colours stay where none moved. */
export function streamText(text: string, colors: boolean): string {
  return cleanText(REWRITES.test(text) ? sanitizeText(text) : text, colors);
}
