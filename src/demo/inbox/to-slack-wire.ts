import { type Instant, SECOND } from "../../lib/instant.ts";
import type { SlackInboxMessage } from "./inbox-store.ts";

/** A message as Slack's own methods return it. */
export function toSlackWire(message: SlackInboxMessage, withMetadata: boolean): Record<string, unknown> {
  return {
    type: "message",
    bot_id: "B0EARSHOT",
    ts: message.ts,
    text: message.text,
    blocks: message.blocks,
    ...(message.threadTs !== null && { thread_ts: message.threadTs }),
    ...(message.broadcast && { subtype: "thread_broadcast" }),
    ...(message.files !== undefined && { files: message.files }),
    ...(message.editedAt !== null && { edited: { ts: toTs(message.editedAt) } }),
    ...(withMetadata &&
      message.metadata !== null && {
        metadata: { event_type: message.metadata.eventType, event_payload: message.metadata.payload },
      }),
  };
}

function toTs(at: Instant): string {
  return `${Math.floor(at / SECOND)}.${String(at % SECOND).padStart(3, "0")}000`;
}
