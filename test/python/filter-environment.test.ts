import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { filterEnvironment, WITHHELD_VARIABLES } from "../../src/python/filter-environment.ts";

const SECRETS = {
  ANTHROPIC_API_KEY: "1",
  OPENAI_API_KEY: "2",
  AZURE_OPENAI_API_KEY: "3",
  AWS_SECRET_ACCESS_KEY: "4",
  AWS_SESSION_TOKEN: "5",
  GITHUB_TOKEN: "6",
  GH_TOKEN: "7",
  GITLAB_TOKEN: "8",
  HF_TOKEN: "9",
  BUN_OPTIONS: "--preload=evil.ts",
  BUN_BE_BUN: "1",
  NUTHATCH_GATEWAY_TOKEN: "10",
};
const HARMLESS = {
  PATH: "/bin",
  HOME: "/home/me",
  AWS_REGION: "eu-central-1",
  MONKEY: "1",
  TOKENIZERS_PARALLELISM: "false",
  DATABASE_URL: "postgres://localhost",
  bunny: "1",
};

describe("the environment of a kernel", () => {
  test("lacks secrets and what makes Bun act, and keeps the rest", () => {
    const { env, withheld } = filterEnvironment({ ...SECRETS, ...HARMLESS, UNSET: undefined });
    expect(env).toEqual(HARMLESS);
    expect(withheld).toEqual(Object.keys(SECRETS).sort());
  });

  test("lacks exactly what the README says", async () => {
    const readme = await Bun.file(join(import.meta.dir, "../../README.md")).text();
    const list = readme.split("**What it inherits**")[1]!.split("## Settings")[0]!.split("changes the list.")[1]!;
    expect([...list.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)).toEqual(WITHHELD_VARIABLES);
  });

  test("names what is withheld, never its value", () => {
    expect(JSON.stringify(filterEnvironment(SECRETS).withheld)).not.toContain("evil");
  });

  test("lacks what a rule denies, whatever its case, and has what a rule allows", () => {
    const rules = { allow: ["GITHUB_TOKEN", "aws_*"], deny: ["DATABASE_*", "*KEY"] };
    const { env, withheld } = filterEnvironment({ ...SECRETS, ...HARMLESS }, rules);
    expect(env).toMatchObject({ GITHUB_TOKEN: "6", AWS_SECRET_ACCESS_KEY: "4", AWS_SESSION_TOKEN: "5" });
    expect(withheld).toEqual(
      expect.arrayContaining(["DATABASE_URL", "MONKEY", "GH_TOKEN", "BUN_OPTIONS", "OPENAI_API_KEY"]),
    );
    expect(withheld).not.toContain("PATH");
  });

  test("takes a pattern's other characters as they are", () => {
    const { withheld } = filterEnvironment({ "a.b": "1", axb: "2", "c(d": "3" }, { allow: [], deny: ["a.b", "c(*"] });
    expect(withheld).toEqual(["a.b", "c(d"]);
  });
});
