import type { StreamParser, StringStream } from "@codemirror/streamparser";

interface MarkdownState {
  /** What ends the code block that is open. */
  fence: string | undefined;
}

const INLINE: [RegExp, string][] = [
  [/^(`+)(?!`).*?[^`]\1(?!`)/, "monospace"],
  [/^\*\*(?=\S).*?\S\*\*|^__(?=\S).*?\S__/, "strong"],
  [/^\*(?=[^\s*]).*?[^\s*]\*|^_(?=[^\s_]).*?[^\s_]_/, "emphasis"],
  [/^!?\[[^\]]*\]\([^)]*\)/, "link"],
  [/^\$\$.*?\$\$|^\$(?=\S)[^$]*\S\$/, "number"],
  [/^<\/?[a-zA-Z][^<>]*>/, "tagName"],
];

/** The look of Markdown's source, line by line; it shows what is written and draws nothing. */
export const MARKDOWN_MODE: StreamParser<unknown> = {
  name: "markdown",
  startState: (): MarkdownState => ({ fence: undefined }),
  token: (stream, state) => readToken(stream, state as MarkdownState),
};

function readToken(stream: StringStream, state: MarkdownState): string | null {
  if (stream.sol()) return readLineStart(stream, state);
  if (state.fence !== undefined) {
    stream.skipToEnd();
    return "monospace";
  }
  const found = INLINE.find(([pattern]) => stream.match(pattern));
  if (found !== undefined) return found[1];
  stream.next();
  stream.eatWhile(/[^`*_![$<]/);
  return null;
}

function readLineStart(stream: StringStream, state: MarkdownState): string | null {
  const fence = stream.string.match(/^ {0,3}(`{3,}|~{3,})/)?.[1];
  if (fence !== undefined && (state.fence === undefined || fence.startsWith(state.fence))) {
    state.fence = state.fence === undefined ? fence : undefined;
    stream.skipToEnd();
    return "meta";
  }
  if (state.fence !== undefined) {
    stream.skipToEnd();
    return "monospace";
  }
  if (stream.match(/^ {0,3}#{1,6}(?: .*)?$/)) return "heading";
  if (stream.match(/^\s*>\s?/)) return "comment";
  if (stream.match(/^\s*(?:[-+*]|\d+[.)])\s/)) return "list";
  stream.next();
  return null;
}
