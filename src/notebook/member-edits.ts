import type { Member, Span } from "./document.ts";
import { type CellLayout, wholeMember } from "./layout.ts";
import type { Replacement } from "./splice.ts";

/** An object in a notebook whose members are to be changed, and how its members are laid out. */
export interface EditedObject {
  bytes: Buffer;
  span: Span;
  members: readonly Member[];
  layout: Omit<CellLayout, "names">;
}

/**
 * Sets members of an object to new value tokens, or removes those whose token is undefined. A member that is there keeps its
 * place (of two with one name the last is set, both are removed); a new one goes where `place` puts it among the names.
 */
export function setMembers(
  object: EditedObject,
  tokens: Record<string, string | undefined>,
  place: (names: string[], added: string) => number,
): Replacement[] {
  const names = new Set(object.members.map((member) => member.name));
  const isSame = Object.entries(tokens).every(([name, token]) => (token !== undefined) === names.has(name));
  return isSame ? replaceValues(object, tokens) : rebuild(object, tokens, place);
}

function replaceValues({ members }: EditedObject, tokens: Record<string, string | undefined>): Replacement[] {
  return Object.entries(tokens).flatMap(([name, text]) => {
    const member = members.findLast((candidate) => candidate.name === name);
    return member === undefined || text === undefined ? [] : [{ start: member.start, end: member.end, text }];
  });
}

interface Entry {
  name: string;
  /** What stood before the member's key in the file; a new member has none. */
  gap?: Buffer;
  content: Buffer;
}

/** Writes the inside of the object anew from what stays and what is new; kept bytes and the gaps between them stay. */
function rebuild(
  object: EditedObject,
  tokens: Record<string, string | undefined>,
  place: (names: string[], added: string) => number,
): Replacement[] {
  const { bytes, span, layout } = object;
  const entries = keptEntries(object, tokens);
  for (const [name, token] of Object.entries(tokens)) {
    if (token === undefined || entries.some((entry) => entry.name === name)) continue;
    const names = entries.map((entry) => entry.name);
    entries.splice(place(names, name), 0, {
      name,
      content: Buffer.from(`${JSON.stringify(name)}${layout.colon}${token}`),
    });
  }
  const last = object.members.at(-1);
  const close = last === undefined ? Buffer.from(layout.close) : bytes.subarray(last.end, span.end - 1);
  const pieces = entries.flatMap(({ gap, content }, index) => [
    index === 0 ? Buffer.from(layout.lead) : (gap ?? Buffer.from(layout.separator)),
    content,
  ]);
  const text = entries.length === 0 ? "" : Buffer.concat([...pieces, close]);
  return [{ start: span.start + 1, end: span.end - 1, text }];
}

function keptEntries({ bytes, members }: EditedObject, tokens: Record<string, string | undefined>): Entry[] {
  return members.flatMap((member, index) => {
    const { name } = member;
    const isSet = name in tokens && members.findLastIndex((other) => other.name === name) === index;
    const token = isSet ? tokens[name] : undefined;
    if (name in tokens && tokens[name] === undefined) return [];
    const before = members[index - 1];
    const whole = wholeMember(member);
    const content =
      token === undefined
        ? bytes.subarray(whole.start, whole.end)
        : Buffer.concat([bytes.subarray(whole.start, member.start), Buffer.from(token)]);
    return [{ name, content, ...(before === undefined ? {} : { gap: bytes.subarray(before.end, whole.start) }) }];
  });
}
