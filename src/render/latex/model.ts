/** A piece of a formula. `symbol` is text as it is to be shown. */
export type Formula =
  | { kind: "symbol"; text: string }
  | { kind: "group"; parts: Formula[] }
  | { kind: "fraction"; over: Formula; under: Formula }
  | { kind: "root"; body: Formula; degree?: Formula }
  | { kind: "script"; base: Formula; below?: Formula | undefined; above?: Formula | undefined }
  | { kind: "accent"; mark: string; body: Formula }
  | { kind: "rows"; open: string; close: string; align: "center" | "left" | "alternate"; rows: Formula[][] };
