/** What a piece of text is, so that one table gives it its look on dark, light, and colourless terminals. */
export type Role =
  | "heading"
  | "strong"
  | "emphasis"
  | "struck"
  | "link"
  | "muted"
  | "accent"
  | "success"
  | "warning"
  | "error"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "function"
  | "type"
  | "variable"
  | "operator"
  | "inserted"
  | "removed";

/** How many colours the terminal shows: none, the 16 of its own palette, 256, or 24-bit. */
export type ColorDepth = "none" | "16" | "256" | "truecolor";

/** How text is styled for one terminal. `style` never changes the text's width. */
export interface Theme {
  readonly colors: ColorDepth;
  readonly light: boolean;
  style(role: Role, text: string): string;
}

/** The facts about a terminal from which its theme follows. */
export interface ThemeOptions {
  colors: ColorDepth;
  light?: boolean;
}

/** SGR parameters of a role: on 16 colours, and where 256 are there; each for dark and for light backgrounds. */
type Look = { sixteen: string; rich: string; lightSixteen?: string; lightRich?: string };

const LOOKS: Record<Role, Look> = {
  heading: { sixteen: "1;36", rich: "1;38;5;81", lightSixteen: "1;34", lightRich: "1;38;5;25" },
  strong: { sixteen: "1", rich: "1" },
  emphasis: { sixteen: "3", rich: "3" },
  struck: { sixteen: "9", rich: "9" },
  link: { sixteen: "4;36", rich: "4;38;5;75", lightSixteen: "4;34", lightRich: "4;38;5;26" },
  muted: { sixteen: "2", rich: "38;5;245", lightRich: "38;5;242" },
  accent: { sixteen: "36", rich: "38;5;80", lightSixteen: "34", lightRich: "38;5;30" },
  success: { sixteen: "32", rich: "38;5;114", lightRich: "38;5;28" },
  warning: { sixteen: "33", rich: "38;5;221", lightRich: "38;5;130" },
  error: { sixteen: "31", rich: "38;5;203", lightRich: "38;5;160" },
  keyword: { sixteen: "35", rich: "38;5;176", lightRich: "38;5;127" },
  string: { sixteen: "32", rich: "38;5;150", lightRich: "38;5;28" },
  number: { sixteen: "33", rich: "38;5;215", lightRich: "38;5;130" },
  comment: { sixteen: "2", rich: "3;38;5;244", lightRich: "3;38;5;243" },
  function: { sixteen: "34", rich: "38;5;111", lightRich: "38;5;26" },
  type: { sixteen: "36", rich: "38;5;80", lightRich: "38;5;30" },
  variable: { sixteen: "36", rich: "38;5;152", lightRich: "38;5;24" },
  operator: { sixteen: "", rich: "38;5;250", lightRich: "38;5;239" },
  inserted: { sixteen: "32", rich: "38;5;114", lightRich: "38;5;28" },
  removed: { sixteen: "31", rich: "38;5;203", lightRich: "38;5;160" },
};

/** The theme of a terminal. With no colours `style` gives the text back as it is. */
export function createTheme(options: ThemeOptions): Theme {
  const light = options.light ?? false;
  if (options.colors === "none") return { colors: "none", light, style: (_role, text) => text };
  const style = (role: Role, text: string) => {
    if (text === "") return "";
    const parameters = lookOf(LOOKS[role], options.colors !== "16", light);
    if (parameters === "") return text;
    return `\x1b[${parameters}m${text}\x1b[${closingOf(parameters)}m`;
  };
  return { colors: options.colors, light, style };
}

function lookOf(look: Look, rich: boolean, light: boolean): string {
  if (rich) return light ? (look.lightRich ?? look.rich) : look.rich;
  return light ? (look.lightSixteen ?? look.sixteen) : look.sixteen;
}

/** Closes exactly what was opened, so that a style inside another does not end the outer one's other attributes. */
function closingOf(parameters: string): string {
  const closing: string[] = [];
  const [attribute] = parameters.split(";");
  if (attribute === "1" || attribute === "2") closing.push("22");
  if (attribute === "3") closing.push("23");
  if (attribute === "4") closing.push("24");
  if (attribute === "9") closing.push("29");
  if (/(^|;)(3\d|38;5;\d+)$/.test(parameters) && parameters !== "3") closing.push("39");
  return closing.join(";");
}
