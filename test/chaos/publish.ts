import type { Instant } from "../../src/lib/instant.ts";
import { mentionRecord } from "../../src/listening-api/records/mention-record.ts";
import { wireTime } from "../../src/listening-api/records/wire.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import type { MentionVersion } from "../../src/listening-api/store/mention-version.ts";
import type { PlannedMention } from "./stream.ts";
import type { World } from "./world.ts";

/** Writes the stream into the API's tables; each mention shows when its moment has come. */
export async function publish(
  { api, account }: Pick<World, "api" | "account">,
  mentions: readonly PlannedMention[],
  from: Instant,
): Promise<void> {
  for (let i = 0; i < mentions.length; i += BATCH) {
    const batch = mentions.slice(i, i + BATCH);
    await insertMentions(
      api,
      batch.flatMap((mention) => versionsOf(mention, account.queries.get(mention.query) ?? 0, from)),
    );
  }
}

const BATCH = 1_000;

function versionsOf(mention: PlannedMention, queryId: number, from: Instant): MentionVersion[] {
  const added = from + mention.at;
  const visibleAt = added + mention.indexedAfter;
  const turnsAt = mention.turnsAt === null ? null : from + mention.turnsAt;
  const version = (number: number, sentiment: string, updated: Instant): MentionVersion => {
    const { author, text, resourceId, query: queryName } = mention;
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
  const first = version(1, mention.sentiment, added);
  return turnsAt === null ? [first] : [first, version(2, "negative", turnsAt)];
}
