/** Patterns of the `environment` setting: names of variables, `*` for any run of characters, case ignored. */
export interface EnvironmentRules {
  allow: string[];
  deny: string[];
}

/**
 * What kernels do not inherit by default: keys and tokens of model providers, cloud and code hosts and package registries,
 * our own token, and what makes Bun itself act (`BUN_OPTIONS`, `BUN_BE_BUN`). The README lists the same patterns.
 */
export const WITHHELD_VARIABLES = [
  // models
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "OPENAI_API_KEY",
  "OPENAI_ADMIN_KEY",
  "AZURE_OPENAI_*KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "MISTRAL_API_KEY",
  "COHERE_API_KEY",
  "CO_API_KEY",
  "GROQ_API_KEY",
  "XAI_API_KEY",
  "DEEPSEEK_API_KEY",
  "OPENROUTER_API_KEY",
  "PERPLEXITY_API_KEY",
  "TOGETHER_API_KEY",
  "FIREWORKS_API_KEY",
  "CEREBRAS_API_KEY",
  "REPLICATE_API_TOKEN",
  "ELEVENLABS_API_KEY",
  "VOYAGE_API_KEY",
  "HF_TOKEN",
  "HUGGING_FACE_HUB_TOKEN",
  "HUGGINGFACE_*TOKEN",
  // cloud
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_BEARER_TOKEN_BEDROCK",
  "AZURE_CLIENT_SECRET",
  "AZURE_*_KEY",
  "AZURE_*_TOKEN",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "CLOUDFLARE_API_*",
  "DIGITALOCEAN_*TOKEN",
  "HEROKU_API_KEY",
  "VERCEL_*TOKEN",
  "NETLIFY_AUTH_TOKEN",
  "FLY_API_TOKEN",
  // code hosts and registries
  "GITHUB_TOKEN",
  "GITHUB_*_TOKEN",
  "GH_TOKEN",
  "GH_*_TOKEN",
  "GITLAB_TOKEN",
  "GITLAB_*_TOKEN",
  "CI_JOB_TOKEN",
  "BITBUCKET_*TOKEN",
  "BITBUCKET_*PASSWORD",
  "NPM_TOKEN",
  "NODE_AUTH_TOKEN",
  "PYPI_TOKEN",
  "TWINE_PASSWORD",
  "UV_PUBLISH_*",
  "DOCKER_PASSWORD",
  // ours
  "BUN_*",
  "NUTHATCH_GATEWAY_TOKEN",
];

/**
 * The environment that a kernel inherits, and the names of what is withheld. `deny` adds to the list above, `allow` takes from
 * it and wins over both; `BUN_*` too can be allowed by name.
 */
export function filterEnvironment(
  environment: Record<string, string | undefined>,
  rules: EnvironmentRules = { allow: [], deny: [] },
): { env: Record<string, string>; withheld: string[] } {
  const withheldHere = matcher(rules.deny);
  const allowed = matcher(rules.allow);
  withheldAlways ??= matcher(WITHHELD_VARIABLES);
  const denied = (name: string) => withheldAlways?.(name) || withheldHere(name);
  const env: Record<string, string> = {};
  const withheld: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue;
    if (denied(name) && !allowed(name)) withheld.push(name);
    else env[name] = value;
  }
  return { env, withheld: withheld.sort() };
}

/** Made once: an expression of so many names takes longer to make than to use. */
let withheldAlways: ((name: string) => boolean) | undefined;

function matcher(patterns: string[]): (name: string) => boolean {
  if (patterns.length === 0) return () => false;
  const sources = patterns.map((pattern) => pattern.split("*").map(escapeForRegExp).join(".*"));
  const expression = new RegExp(`^(?:${sources.join("|")})$`, "i");
  return (name) => expression.test(name);
}

function escapeForRegExp(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
}
