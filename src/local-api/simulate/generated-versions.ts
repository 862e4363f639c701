import type { Instant } from "../../lib/instant.ts";
import { type CategoryDetail, mentionRecord } from "../records/mention-record.ts";
import { wireTime } from "../records/wire.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import { emotionOf } from "./emotion-of.ts";
import type { GeneratedMention } from "./generate-hour.ts";
import { likesOf } from "./generated-audience.ts";
import { generatedFields } from "./generated-fields.ts";
import type { Sentiment, Topic } from "./topics.ts";

/** Where generated mentions go: ids of queries by brand, categories by topic. */
export interface StreamTargets {
  readonly queries: ReadonlyMap<string, number>;
  readonly categories: ReadonlyMap<Topic, CategoryDetail>;
}

/** The versions of a generated mention: one, or two when its sentiment is corrected later. */
export function generatedVersions(
  seed: string,
  mention: GeneratedMention,
  targets: StreamTargets,
): MentionVersion[] {
  const { post, added, visibleAt, firstSentiment, correctedAt } = mention;
  const queryId = targets.queries.get(post.brand);
  if (queryId === undefined) throw new Error(`no query for brand ${post.brand}`);
  const category = post.topic === null ? undefined : targets.categories.get(post.topic);
  const fields = {
    ...generatedFields(seed, post),
    queryId,
    queryName: post.brand,
    added: wireTime(added),
    categories: category === undefined ? [] : [Number(category.id)],
    categoryDetails: category === undefined ? [] : [category],
  };
  const version = (number: number, sentiment: Sentiment, updated: Instant): MentionVersion => ({
    version: number,
    record: mentionRecord({
      ...fields,
      sentiment,
      classifications: emotionOf(seed, post, sentiment),
      updated: wireTime(updated),
    }),
    date: post.publishedAt,
    added,
    updated,
    visibleAt: number === 1 ? visibleAt : updated,
    supersededAt: number === 1 ? correctedAt : null,
    fullText: post.text,
    twitterLikeCount: likesOf(seed, post),
  });
  const first = version(1, firstSentiment, added);
  return correctedAt === null ? [first] : [first, version(2, post.sentiment, correctedAt)];
}
