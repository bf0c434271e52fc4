import type { StreamParser } from "@codemirror/streamparser";
import { MARKDOWN_MODE } from "./markdown-mode.ts";

interface LanguageMode {
  /** Other names, in lower case: of kernels, of lexers, of code fences. */
  names?: readonly string[];
  load(): StreamParser<unknown>;
}

/** Modes by language; each is evaluated when a cell first needs it, so that none costs start-up time. */
export const LANGUAGES: Readonly<Record<string, LanguageMode>> = {
  apl: { load: () => require("@codemirror/legacy-modes/mode/apl").apl },
  bash: {
    names: ["sh", "shell", "zsh", "shellscript"],
    load: () => require("@codemirror/legacy-modes/mode/shell").shell,
  },
  c: { load: () => require("@codemirror/legacy-modes/mode/clike").c },
  clojure: { names: ["clj"], load: () => require("@codemirror/legacy-modes/mode/clojure").clojure },
  cpp: {
    names: ["c++", "cpp11", "cpp14", "cpp17", "cpp20", "cpp23", "xcpp", "cuda"],
    load: () => require("@codemirror/legacy-modes/mode/clike").cpp,
  },
  crystal: { load: () => require("@codemirror/legacy-modes/mode/crystal").crystal },
  csharp: { names: ["c#", "cs", ".net-csharp"], load: () => require("@codemirror/legacy-modes/mode/clike").csharp },
  css: { load: () => require("@codemirror/legacy-modes/mode/css").css },
  cypher: { load: () => require("@codemirror/legacy-modes/mode/cypher").cypher },
  cython: { names: ["pyx"], load: () => require("@codemirror/legacy-modes/mode/python").cython },
  d: { load: () => require("@codemirror/legacy-modes/mode/d").d },
  dart: { load: () => require("@codemirror/legacy-modes/mode/clike").dart },
  diff: { names: ["patch"], load: () => require("@codemirror/legacy-modes/mode/diff").diff },
  dockerfile: { load: () => require("@codemirror/legacy-modes/mode/dockerfile").dockerFile },
  elm: { load: () => require("@codemirror/legacy-modes/mode/elm").elm },
  fortran: { names: ["f90", "f95"], load: () => require("@codemirror/legacy-modes/mode/fortran").fortran },
  fsharp: { names: ["f#", "fs", ".net-fsharp"], load: () => require("@codemirror/legacy-modes/mode/mllike").fSharp },
  go: { names: ["golang", "gonb"], load: () => require("@codemirror/legacy-modes/mode/go").go },
  groovy: { names: ["beakerx"], load: () => require("@codemirror/legacy-modes/mode/groovy").groovy },
  haskell: { names: ["hs"], load: () => require("@codemirror/legacy-modes/mode/haskell").haskell },
  haxe: { load: () => require("@codemirror/legacy-modes/mode/haxe").haxe },
  html: { names: ["htm"], load: () => require("@codemirror/legacy-modes/mode/xml").html },
  ini: { names: ["properties"], load: () => require("@codemirror/legacy-modes/mode/properties").properties },
  java: { names: ["jshell", "ijava"], load: () => require("@codemirror/legacy-modes/mode/clike").java },
  javascript: {
    names: ["js", "jsx", "node", "nodejs"],
    load: () => require("@codemirror/legacy-modes/mode/javascript").javascript,
  },
  json: { names: ["json5", "jsonc", "geojson"], load: () => require("@codemirror/legacy-modes/mode/javascript").json },
  julia: { names: ["jl"], load: () => require("@codemirror/legacy-modes/mode/julia").julia },
  kotlin: { names: ["kt"], load: () => require("@codemirror/legacy-modes/mode/clike").kotlin },
  latex: { names: ["tex"], load: () => require("@codemirror/legacy-modes/mode/stex").stex },
  lisp: {
    names: ["common-lisp", "emacs-lisp"],
    load: () => require("@codemirror/legacy-modes/mode/commonlisp").commonLisp,
  },
  lua: { load: () => require("@codemirror/legacy-modes/mode/lua").lua },
  markdown: { names: ["md"], load: () => MARKDOWN_MODE },
  mathematica: {
    names: ["wolfram", "wolfram language", "wl"],
    load: () => require("@codemirror/legacy-modes/mode/mathematica").mathematica,
  },
  matlab: { names: ["octave"], load: () => require("@codemirror/legacy-modes/mode/octave").octave },
  mysql: { load: () => require("@codemirror/legacy-modes/mode/sql").mySQL },
  objectivec: { names: ["objc"], load: () => require("@codemirror/legacy-modes/mode/clike").objectiveC },
  ocaml: { names: ["ml"], load: () => require("@codemirror/legacy-modes/mode/mllike").oCaml },
  pascal: { load: () => require("@codemirror/legacy-modes/mode/pascal").pascal },
  perl: { names: ["pl"], load: () => require("@codemirror/legacy-modes/mode/perl").perl },
  plsql: { load: () => require("@codemirror/legacy-modes/mode/sql").plSQL },
  postgresql: { names: ["pgsql"], load: () => require("@codemirror/legacy-modes/mode/sql").pgSQL },
  powershell: {
    names: ["pwsh", "ps1", ".net-powershell"],
    load: () => require("@codemirror/legacy-modes/mode/powershell").powerShell,
  },
  python: {
    names: [
      "py",
      "python2",
      "python3",
      "ipython",
      "ipython2",
      "ipython3",
      "sage",
      "sagemath",
      "xpython",
      "pyspark",
      "gluepyspark",
      "python_glue_session",
    ],
    load: () => require("@codemirror/legacy-modes/mode/python").python,
  },
  q: { names: ["kdb", "qpk"], load: () => require("@codemirror/legacy-modes/mode/q").q },
  r: { names: ["splus", "rlang"], load: () => require("@codemirror/legacy-modes/mode/r").r },
  ruby: { names: ["rb", "iruby"], load: () => require("@codemirror/legacy-modes/mode/ruby").ruby },
  rust: { names: ["rs", "evcxr"], load: () => require("@codemirror/legacy-modes/mode/rust").rust },
  sas: { load: () => require("@codemirror/legacy-modes/mode/sas").sas },
  scala: {
    names: ["spark", "almond", "apache toree"],
    load: () => require("@codemirror/legacy-modes/mode/clike").scala,
  },
  scheme: { names: ["racket", "calysto scheme 3"], load: () => require("@codemirror/legacy-modes/mode/scheme").scheme },
  sml: { load: () => require("@codemirror/legacy-modes/mode/mllike").sml },
  sparql: { load: () => require("@codemirror/legacy-modes/mode/sparql").sparql },
  sql: { names: ["t-sql", "xsqlite", "kql"], load: () => require("@codemirror/legacy-modes/mode/sql").standardSQL },
  sqlite: { load: () => require("@codemirror/legacy-modes/mode/sql").sqlite },
  swift: { load: () => require("@codemirror/legacy-modes/mode/swift").swift },
  tcl: { load: () => require("@codemirror/legacy-modes/mode/tcl").tcl },
  toml: { load: () => require("@codemirror/legacy-modes/mode/toml").toml },
  typescript: {
    names: ["ts", "tsx", "deno"],
    load: () => require("@codemirror/legacy-modes/mode/javascript").typescript,
  },
  vbnet: { names: ["vb"], load: () => require("@codemirror/legacy-modes/mode/vb").vb },
  verilog: { load: () => require("@codemirror/legacy-modes/mode/verilog").verilog },
  xml: { names: ["svg", "xhtml"], load: () => require("@codemirror/legacy-modes/mode/xml").xml },
  yaml: { names: ["yml"], load: () => require("@codemirror/legacy-modes/mode/yaml").yaml },
};
