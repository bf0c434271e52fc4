/** Text within a block. `math` holds LaTeX without its delimiters, `tag` an HTML tag as it was written. */
export type Inline =
  | { kind: "text" | "code" | "tag"; text: string }
  | { kind: "math"; text: string; display: boolean }
  | { kind: "strong" | "emphasis" | "struck"; children: Inline[] }
  | { kind: "link"; href: string; children: Inline[] }
  | { kind: "image"; source: string; alt: string }
  | { kind: "break" };

export type Align = "left" | "center" | "right";

/** A block of a Markdown document (CommonMark "Blocks and inlines", GFM tables, and display math). */
export type Block =
  | { kind: "heading"; level: number; children: Inline[] }
  | { kind: "paragraph"; children: Inline[] }
  | { kind: "math"; text: string }
  | { kind: "code"; text: string; language?: string }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "list"; start?: number; items: ListItem[] }
  | { kind: "table"; align: Align[]; rows: Inline[][][] }
  | { kind: "rule" };

/** An item of a list; `checked` only where it is a task. */
export interface ListItem {
  checked?: boolean;
  blocks: Block[];
}
