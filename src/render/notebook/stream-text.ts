import { sanitizeColoredText, sanitizeText } from "../../output/text-sanitizer.ts";
import { cleanText } from "../clean.ts";

/** What a stream looked like when it had been printed: progress bars are their last state, colours stay where they are shown. */
export function streamText(text: string, colors: boolean): string {
  return cleanText(colors ? sanitizeColoredText(text) : sanitizeText(text), colors);
}
