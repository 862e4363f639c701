import type { Instant } from "../../src/lib/instant.ts";
import { mentionRecord } from "../../src/local-api/records/mention-record.ts";
import { wireTime } from "../../src/local-api/records/wire-time.ts";
import { insertMentions } from "../../src/local-api/store/insert-mentions.ts";
import type { MentionVersion } from "../../src/local-api/store/mention-version.ts";
import type { Outgoing } from "./stream.ts";
import type { World } from "./world.ts";

/** Writes the stream into the API's tables; each mention shows when its moment has come. */
export async function publish(
  { api, account }: Pick<World, "api" | "account">,
  sayings: readonly Outgoing[],
  from: Instant,
): Promise<void> {
  for (let i = 0; i < sayings.length; i += BATCH) {
    const batch = sayings.slice(i, i + BATCH);
    await insertMentions(
      api,
      batch.flatMap((saying) => versionsOf(saying, account.queries.get(saying.query) ?? 0, from)),
    );
  }
}

const BATCH = 1_000;

function versionsOf(saying: Outgoing, queryId: number, from: Instant): MentionVersion[] {
  const added = from + saying.at;
  const visibleAt = added + saying.indexedAfter;
  const turnsAt = saying.turnsAt === null ? null : from + saying.turnsAt;
  const version = (number: number, sentiment: string, updated: Instant): MentionVersion => {
    const { author, text, resourceId, query: queryName } = saying;
    const times = { date: wireTime(added), added: wireTime(added), updated: wireTime(updated) };
    const record = mentionRecord({
      ...{ queryId, queryName, resourceId, author, fullname: author, sentiment, ...times },
      ...{ title: null, snippet: text, url: `https://example.com/${resourceId}` },
    });
    return {
      ...{ version: number, record, date: added, added, updated, fullText: text },
      ...{ visibleAt: number === 1 ? visibleAt : updated, supersededAt: number === 1 ? turnsAt : null },
    };
  };
  const first = version(1, saying.sentiment, added);
  return turnsAt === null ? [first] : [first, version(2, "negative", turnsAt)];
}
