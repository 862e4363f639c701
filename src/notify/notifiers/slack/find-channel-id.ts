import type { WebClient } from "@slack/web-api";

/**
 * The id of a channel that is configured by name: `chat.postMessage` takes names, everything else needs ids. Null if
 * the app sees no such channel. An id is returned as it is, without a call.
 */
export async function findChannelId(client: WebClient, channel: string): Promise<string | null> {
  if (/^[CDG][A-Z0-9]{7,}$/.test(channel)) return channel;
  const name = channel.replace(/^#/, "");
  let cursor: string | undefined;
  do {
    const answer = await client.conversations.list({
      exclude_archived: true,
      limit: 500,
      types: "public_channel,private_channel",
      ...(cursor && { cursor }),
    });
    const found = answer.channels?.find((candidate) => candidate.name === name);
    if (found?.id !== undefined) return found.id;
    cursor = answer.response_metadata?.next_cursor || undefined;
  } while (cursor !== undefined);
  return null;
}
