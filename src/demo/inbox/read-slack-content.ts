import { readJson } from "../../lib/read-json.ts";
import { storableText } from "../../lib/storable-text.ts";
import type { SlackInboxMessage } from "./inbox-store.ts";
import { faultOfMessage } from "./slack-limits.ts";
import { storable } from "./storable.ts";

type Content = Pick<SlackInboxMessage, "text" | "blocks" | "metadata">;

/** The content of a message in a call, or Slack's error code if Slack would refuse it. */
export function readSlackContent(fields: Readonly<Record<string, string>>): Content | { error: string } {
  const text = storableText(fields["text"] ?? "").slice(0, 40_000);
  const blocks = readJson(fields["blocks"] ?? "[]");
  if (!Array.isArray(blocks)) return { error: "invalid_blocks_format" };
  const fault = faultOfMessage(text, blocks);
  if (fault !== null) return { error: fault };
  const metadata = parseMetadata(fields["metadata"]);
  if (metadata === undefined) return { error: "invalid_metadata_format" };
  return { text, blocks: blocks.map(storable), metadata };
}

function parseMetadata(json: string | undefined): Content["metadata"] | undefined {
  if (json === undefined) return null;
  const parsed = storable(readJson(json));
  if (typeof parsed !== "object" || parsed === null) return undefined;
  const { event_type: eventType, event_payload: payload } = {
    event_type: null,
    event_payload: null,
    ...parsed,
  };
  if (typeof eventType !== "string" || typeof payload !== "object" || payload === null) return undefined;
  return { eventType, payload: { ...(payload as Record<string, unknown>) } };
}
