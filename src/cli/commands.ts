import { flagName, SETTING_NAMES } from "../settings.ts";
import type { OptionSpec } from "./arguments.ts";
import type { Command } from "./command.ts";

/** Every command, in the order of the help. Each is loaded only when it is run, so that a one-shot call starts at once. */
export const COMMANDS: Command[] = [
  {
    name: "call",
    usage: "<tool> [json]",
    summary: "Call one tool; parameters from the argument, or from standard input when it is absent or -",
    words: [1, 2],
    options: [{ name: "stream", summary: "print one JSON event a line while it runs, the result last" }],
    load: async () => (await import("./call-command.ts")).runCall,
  },
  {
    name: "notebook",
    usage: "<action> <path> [index]",
    summary: "Read and edit notebooks: read edit insert delete replace move set_type clear_outputs create",
    words: [2, 3],
    options: [
      { name: "content", value: "text", summary: "the source; without it from --file or standard input" },
      { name: "file", value: "path", summary: "read the source from this file" },
      { name: "cell-id", value: "id", summary: "the cell; for insert, the new cell goes right after it" },
      { name: "cell-type", value: "type", summary: "code (default), markdown or raw" },
      { name: "old", value: "text", summary: "for replace: what the content takes the place of" },
      { name: "to-index", value: "index", summary: "for move: the index that the cell will have" },
      { name: "range", value: "indexes", summary: "for read: such as 2-5, 0-3,7 or 5-" },
      { name: "search", value: "text", summary: "for read: cells whose source has the text or matches the /regex/" },
      { name: "outputs", value: "none|summary|full", summary: "for read: how outputs are shown" },
      { name: "if-revision", value: "revision", summary: "refuse a file that was changed since" },
      { name: "force", summary: "write a file that is marked read-only" },
      { name: "dry-run", summary: "write nothing and print what would change, as a diff" },
    ],
    load: async () => (await import("./notebook-command.ts")).runNotebook,
  },
  {
    name: "python",
    usage: "[file]",
    summary: "Run a script, cell by cell at its # %% marks, or code from -c or standard input",
    words: [0, 1],
    options: [
      { name: "code", short: "c", value: "code", summary: "run this code" },
      { name: "timeout", value: "seconds", summary: "limit for the whole call (default 30)" },
      { name: "reset", summary: "start the session afresh" },
    ],
    load: async () => (await import("./python-command.ts")).runPython,
  },
  {
    name: "show",
    usage: "<notebook>",
    summary: "Show a notebook in the terminal",
    words: [1, 1],
    options: [
      { name: "expanded", summary: "show long outputs and code whole" },
      { name: "no-pager", summary: "print it all, and pictures as the terminal shows them best" },
    ],
    load: async () => (await import("./show-command.ts")).runShow,
  },
  {
    name: "run",
    usage: "<notebook...>",
    summary: "Run notebooks, each in a fresh kernel, and write their outputs back; exit 1 when a cell fails",
    words: [1, 10_000],
    options: [
      { name: "parameter", short: "p", value: "name", second: "value", summary: "set a parameter; may be repeated" },
      {
        name: "text-parameter",
        short: "r",
        value: "name",
        second: "text",
        summary: "set a parameter to text as it is",
      },
      { name: "cells", value: "cells", summary: "such as 0-3,7, from:<id>, until:<id> or stale (default all)" },
      { name: "save-as", value: "path", summary: "write into a copy; the notebook stays as it is" },
      { name: "timeout", value: "seconds", summary: "limit for each cell (default 300)" },
      { name: "total-timeout", value: "seconds", summary: "limit for the whole notebook" },
      { name: "allow-errors", summary: "go on after a cell that fails" },
      { name: "restart", summary: "with --session: start it with a fresh kernel" },
      { name: "watch", summary: "stay, and run cells again when they are changed" },
      { name: "jobs", short: "j", value: "count", summary: "notebooks to run at once (default 1)" },
      { name: "report", value: "junit|json", summary: "print a report; progress goes to standard error then" },
      { name: "report-file", value: "path", summary: "write the report into this file instead" },
    ],
    load: async () => (await import("./run-command.ts")).runNotebooks,
  },
  {
    name: "artifact",
    usage: "<id>",
    summary: "Print an output that was too long for its result",
    words: [1, 1],
    options: [],
    load: async () => (await import("./artifact-command.ts")).runArtifact,
  },
  {
    name: "tools",
    usage: "",
    summary: "Print the tools' names, descriptions and JSON Schemas",
    words: [0, 0],
    options: [{ name: "format", value: "mcp|openai|anthropic", summary: "shape of the listing (default mcp)" }],
    load: async () => (await import("./tools-command.ts")).runTools,
  },
  {
    name: "mcp",
    usage: "",
    summary: "Serve the tools over MCP on standard input and output",
    words: [0, 0],
    options: [
      { name: "shared", summary: "use the background daemon, so that others can attach to the sessions" },
      { name: "structured", summary: "send details as structuredContent where a result has no image" },
    ],
    load: async () => (await import("./mcp-command.ts")).runMcp,
  },
  {
    name: "repl",
    usage: "[session]",
    summary:
      "Attach this terminal to a live session, or to the folder's own; the cells of agents are shown as they run",
    words: [0, 1],
    options: [],
    load: async () => (await import("./repl-command.ts")).runRepl,
  },
  {
    name: "sessions",
    usage: "[list|interrupt|restart|stop] [name]",
    summary: "List the live sessions, or interrupt, restart or stop one",
    words: [0, 2],
    options: [],
    load: async () => (await import("./sessions-command.ts")).runSessions,
  },
  {
    name: "serve",
    usage: "",
    summary: "Run the daemon in the foreground, with the Jupyter API on a port",
    words: [0, 0],
    options: [
      { name: "host", value: "address", summary: "address to listen on (default 127.0.0.1)" },
      { name: "port", value: "number", summary: "port (default the first free one from 8888; 0 is any)" },
      { name: "token", value: "text", summary: "what clients must present (default a random one, or JUPYTER_TOKEN)" },
    ],
    load: async () => (await import("./serve-command.ts")).runServe,
  },
  {
    name: "status",
    usage: "",
    summary: "Say whether the background daemon runs, and what it has",
    words: [0, 0],
    options: [],
    load: async () => (await import("./status-command.ts")).runStatus,
  },
  {
    name: "stop",
    usage: "",
    summary: "End the background daemon and its kernels",
    words: [0, 0],
    options: [],
    load: async () => (await import("./stop-command.ts")).runStop,
  },
  {
    name: "plugins",
    usage: "[list|check] [path]",
    summary: "List the plugins and what failed; check a plugin that you write",
    words: [0, 2],
    options: [],
    load: async () => (await import("./plugins-command.ts")).runPlugins,
  },
  {
    name: "trust",
    usage: "[dir]",
    summary: "Let the plugins and modules of a project's .nuthatch folder run",
    words: [0, 1],
    options: [
      { name: "list", summary: "list the trusted folders" },
      { name: "remove", summary: "trust the folder no longer" },
    ],
    load: async () => (await import("./trust-command.ts")).runTrust,
  },
  {
    name: "kernelspec",
    usage: "[list|install]",
    summary: "List the kernels of this host; register the bundled kernel for other Jupyter front ends",
    words: [0, 1],
    options: [{ name: "prefix", value: "dir", summary: "for install: an environment's folder in place of your own" }],
    load: async () => (await import("./kernelspec-command.ts")).runKernelspec,
  },
  {
    name: "doctor",
    usage: "",
    summary: "Say what this host has, and what is missing",
    words: [0, 0],
    options: [],
    load: async () => (await import("./doctor-command.ts")).runDoctor,
  },
  {
    name: "skill",
    usage: "",
    summary: "Print the skill file that teaches an agent with a shell to use the tools",
    words: [0, 0],
    options: [],
    load: async () => (await import("./skill-command.ts")).runSkill,
  },
  {
    name: "completion",
    usage: "<bash|zsh|fish>",
    summary: "Print the completion script of a shell",
    words: [1, 1],
    options: [],
    load: async () => (await import("./completion-command.ts")).runCompletion,
  },
];

/** Commands that only Nuthatch itself runs; no help names them. */
export const INTERNAL_COMMANDS: Command[] = [
  {
    name: "daemon",
    usage: "",
    summary: "Run the daemon for the client that starts it",
    words: [0, 0],
    options: [],
    load: async () => (await import("./daemon-command.ts")).runDaemon,
  },
];

/** The options that every command takes, before or after its name. */
export const GLOBAL_OPTIONS: OptionSpec[] = [
  { name: "cwd", value: "dir", summary: "folder that relative paths and kernels start from" },
  { name: "session", value: "name", summary: "session to use" },
  { name: "in-process", summary: "use no daemon" },
  { name: "json", summary: "print JSON and nothing else on standard output" },
  { name: "no-color", summary: "print no colours" },
  { name: "help", short: "h", summary: "show the help" },
  { name: "version", short: "V", summary: "show the version" },
];

/** Each setting is an option too. */
export const SETTING_OPTIONS: OptionSpec[] = SETTING_NAMES.map((name) => ({
  name: flagName(name),
  value: "value",
  summary: `the setting ${name}`,
}));
