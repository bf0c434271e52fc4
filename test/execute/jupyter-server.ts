import { existsSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../nuthatch.ts";

const VENV = join(import.meta.dir, "../../.venv");
/** A second environment: what an Enterprise Gateway pins clashes with the rest. */
const ENTERPRISE_VENV = join(import.meta.dir, "../../.venv-enterprise");

/** The gateways of others that the tests' Python environments have. */
export const HAS_JUPYTER = existsSync(join(VENV, "bin/jupyter-server"));
export const HAS_ENTERPRISE = existsSync(join(ENTERPRISE_VENV, "bin/jupyter-enterprisegateway"));

/** The class whose traits an application's options set. */
const CLASSES = {
  server: "ServerApp",
  lab: "ServerApp",
  kernelgateway: "KernelGatewayApp",
  enterprisegateway: "EnterpriseGatewayApp",
};

export interface JupyterServer extends AsyncDisposable {
  url: string;
  pid: number;
  /** The folder of its documents. */
  root: string;
  log(): Promise<string>;
}

/** Starts `jupyter <app>` with these options on a port of loopback, and waits until it answers below `basePath`. */
export async function startJupyter(
  app: keyof typeof CLASSES,
  options: string[],
  basePath = "/",
  env: Record<string, string> = {},
  port = freePort(),
): Promise<JupyterServer> {
  const folder = temporaryFolder();
  const prefix = CLASSES[app];
  const own = prefix === "ServerApp" ? ["--no-browser", "--allow-root", `--ServerApp.root_dir=${folder.path}`] : [];
  const venv = app === "enterprisegateway" ? ENTERPRISE_VENV : VENV;
  const logPath = join(folder.path, "log");
  const command = [join(venv, "bin/jupyter"), app, ...own];
  const child = Bun.spawn(
    [...command, `--${prefix}.ip=127.0.0.1`, `--${prefix}.port=${port}`, `--${prefix}.port_retries=0`, ...options],
    {
      cwd: folder.path,
      env: {
        ...process.env,
        HOME: folder.path,
        JUPYTER_CONFIG_DIR: folder.path,
        JUPYTER_RUNTIME_DIR: folder.path,
        ...env,
      },
      stdout: Bun.file(logPath),
      stderr: Bun.file(logPath),
    },
  );
  const log = () => Bun.file(logPath).text();
  const url = `http://127.0.0.1:${port}${basePath}`;
  while (!(await answers(`${url}api`))) {
    if (child.exitCode !== null) throw new Error(`jupyter ${app} ended:\n${await log()}`);
    await Bun.sleep(50);
  }
  return {
    url,
    pid: child.pid,
    root: folder.path,
    log,
    async [Symbol.asyncDispose]() {
      // It ends its kernels first, when it is let.
      child.kill("SIGTERM");
      const limit = setTimeout(() => child.kill("SIGKILL"), 5000);
      await child.exited;
      clearTimeout(limit);
      folder[Symbol.dispose]();
    },
  };
}

/** A port that was free a moment ago. */
export function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const port = server.port as number;
  server.stop(true);
  return port;
}

async function answers(url: string): Promise<boolean> {
  return await fetch(url).then(
    (response) => response.status < 500,
    () => false,
  );
}
