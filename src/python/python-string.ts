/** A Python string literal in ASCII: JSON's escapes mean the same in Python. */
export function pythonString(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
