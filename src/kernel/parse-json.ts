/** Numbers that Python's `json` writes and JSON has not, and strings, which must be passed over while looking for them. */
const STRING_OR_NOT_A_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\bInfinity\b|\bNaN\b/g;

/**
 * Parses JSON as kernels write it: `NaN` and `Infinity` become null, because one such number in a result must not cost the
 * whole message. Throws a SyntaxError for anything else that is no JSON.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const cleaned = text.replace(STRING_OR_NOT_A_NUMBER, (found) => (found.startsWith('"') ? found : "null"));
    if (cleaned === text) throw error;
    return JSON.parse(cleaned);
  }
}
