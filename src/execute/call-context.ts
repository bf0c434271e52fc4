import type { ArtifactStore } from "../output/artifacts.ts";
import type { MimeHandler } from "../output/model.ts";
import { CallReport } from "./call-report.ts";
import type { GatewayClient } from "./gateway-client.ts";
import { type SessionRequest, sessionName } from "./kernel-session.ts";
import type { CellRequest, RunOptions } from "./model.ts";
import type { SessionRecords } from "./session-record.ts";
import type { SessionWatchers } from "./session-watchers.ts";
import type { KernelSessions } from "./sessions.ts";

/** What every call of an executor works with beside its request. */
export interface CallContext {
  client: GatewayClient;
  sessions: KernelSessions;
  records: SessionRecords;
  watchers: SessionWatchers;
  artifacts: ArtifactStore;
  mimeHandlers: readonly MimeHandler[];
}

/** The report of a call: its outputs go to this executor's handlers, what is too long into the session's artifact folder. */
export function createReport(
  context: CallContext,
  request: SessionRequest,
  cells: readonly CellRequest[],
  onUpdate: RunOptions["onUpdate"],
): CallReport {
  const { artifacts, mimeHandlers, records, watchers } = context;
  const session = sessionName(request);
  const openArtifact = () => records.openArtifact(request, "text/plain");
  const { maxOutputBytes } = request.settings;
  const watch = watchers.startCall(session);
  return new CallReport({ cells, session, maxOutputBytes, artifacts, openArtifact, mimeHandlers, onUpdate, watch });
}
