/** The four kernel channels that a client talks on ("Messaging in Jupyter", 5.3 and newer). */
export type Channel = "shell" | "iopub" | "stdin" | "control";

/** The header of a message; `date` is ISO 8601. */
export interface MessageHeader {
  msg_id: string;
  msg_type: string;
  session: string;
  username: string;
  date: string;
  version: string;
}

/** One Jupyter message in the form of the WebSocket protocol: the four dictionaries, raw buffers and its channel. */
export interface KernelMessage {
  channel: Channel;
  header: MessageHeader;
  parent_header: MessageHeader | Record<string, never>;
  metadata: Record<string, unknown>;
  content: Record<string, unknown>;
  buffers: Uint8Array[];
}
