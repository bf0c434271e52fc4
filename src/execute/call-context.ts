import type { ArtifactStore } from "../output/artifacts.ts";
import type { CallPlugins } from "./call-plugins.ts";
import { CallReport } from "./call-report.ts";
import type { GatewayClient } from "./gateway-client.ts";
import { type SessionRequest, sessionName } from "./kernel-session.ts";
import type { CellRequest } from "./model.ts";
import type { SessionRecords } from "./session-record.ts";
import type { SessionWatchers } from "./session-watchers.ts";
import type { KernelSessions } from "./sessions.ts";
import type { ContentListener } from "./update-stream.ts";

/** What every call of an executor works with beside its request. */
export interface CallContext {
  client: GatewayClient;
  sessions: KernelSessions;
  records: SessionRecords;
  watchers: SessionWatchers;
  artifacts: ArtifactStore;
  /** The folder that keeps which cells of which notebook ran. */
  histories: string;
  plugins(request: SessionRequest): Promise<CallPlugins>;
}

/** The report of a call: its outputs go to the plugins of its folder, what is too long into the session's artifact folder. */
export async function createReport(
  context: CallContext,
  request: SessionRequest,
  cells: readonly CellRequest[],
  onUpdate: ContentListener | undefined,
): Promise<CallReport> {
  const { artifacts, records, watchers } = context;
  const session = sessionName(request);
  const openArtifact = () => records.openArtifact(request, "text/plain");
  const saveArtifact = (bytes: Uint8Array | string, mimeType: string) => records.saveArtifact(request, bytes, mimeType);
  const { settings, cwd } = request;
  const plugins = await context.plugins(request);
  const watch = watchers.startCall(session);
  const own = { cells, session, cwd, settings, plugins };
  return new CallReport({ ...own, artifacts, openArtifact, saveArtifact, onUpdate, watch });
}
