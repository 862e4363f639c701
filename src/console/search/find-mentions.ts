import { searchableMention } from "#listening-api";
import {
  type ConsoleFacts,
  isByArrival,
  type Mention,
  type MentionFilter,
  type MentionPosition,
  type ShownMention,
} from "#monitor";
import { yieldingLoop } from "../../lib/concurrency.ts";
import type { Mark } from "../parts/highlight.ts";
import type { Search } from "./read-search.ts";

export interface FoundMentions {
  readonly mentions: readonly ShownMention[];
  /** By mention: why it was found. */
  readonly marks: ReadonlyMap<ShownMention, readonly Mark[]>;
  /** Null: there are no older ones. */
  readonly next: MentionPosition | null;
  /** The search reached its limit before the page was full; `next` continues there. */
  readonly stoppedEarly: boolean;
}

/** A query is matched here, after a rough filter in the database: so many mentions at a time. */
const BATCH = 500;
/** Of one search; what passes the filter costs several times as much as what is only read. */
const MOST_READ = 3_000;
const AT_ONCE = 1_000;
const MATCH_COSTS = 4;
/** The rough filter: more alternatives cost more than they save. */
const MOST_ALTERNATIVES = 50;

/** Finds mentions that match, `limit` at a time, in the order of `facts.mentions`. A fault finds nothing. */
export async function findMentions(
  facts: Pick<ConsoleFacts, "mentions">,
  filter: MentionFilter,
  search: Search,
  after: MentionPosition | null,
  limit: number,
): Promise<FoundMentions> {
  if (search.kind === "Fault") return { mentions: [], marks: new Map(), next: null, stoppedEarly: false };
  if (search.kind !== "Query") {
    const words = search.kind === "Words" ? search.words : [];
    const listing = await facts.mentions({ ...filter, words }, after, limit);
    return {
      ...listing,
      marks: new Map(listing.mentions.map((one) => [one, marksOfWords(one.mention.text, words)])),
    };
  }
  const { query } = search;
  const required = query.required
    .filter((some) => some.length <= MOST_ALTERNATIVES)
    .map((some) => some.map(({ folded }) => folded));
  const mentions: ShownMention[] = [];
  const marks = new Map<ShownMention, readonly Mark[]>();
  let from = after;
  for (let left = MOST_READ; left > 0; ) {
    const listing = await facts.mentions({ ...filter, required }, from, BATCH, Math.min(left, AT_ONCE));
    left -= listing.scanned + MATCH_COSTS * listing.mentions.length;
    for (const one of listing.mentions) {
      const matched = await yieldingLoop(query.matchInSteps(searchableMention(asRecord(one.mention))));
      if (matched === null) continue;
      const last = mentions.at(-1);
      if (mentions.length === limit && last !== undefined)
        return { mentions, marks, next: positionOf(last, filter), stoppedEarly: false };
      mentions.push(one);
      marks.set(one, matched);
    }
    from = listing.next;
    if (from === null) return { mentions, marks, next: null, stoppedEarly: false };
  }
  return { mentions, marks, next: from, stoppedEarly: true };
}

/** The fields that a query may ask for, by the names of the query language. */
function asRecord(mention: Mention): Parameters<typeof searchableMention>[0] {
  const {
    resourceId,
    title,
    text,
    url,
    domain,
    language,
    pageType,
    author,
    authorName,
    country,
    countryCode,
  } = mention;
  const { sentiment, impact, impressions, tags, hashtags, followers, verified, reposts, reach } = mention;
  return {
    ...{ resourceId, title, snippet: text, url, domain, language, pageType, author, fullname: authorName },
    ...{ country, countryCode, sentiment, impact, impressions, tags, insightsHashtag: hashtags },
    twitterFollowers: followers,
    twitterVerified: verified,
    twitterRetweets: reposts,
    reachEstimate: reach,
  };
}

function positionOf({ mention, eventAt }: ShownMention, filter: MentionFilter): MentionPosition {
  const moment = isByArrival(filter) ? mention.addedAt : eventAt;
  return { moment, queryId: mention.queryId, resourceId: mention.resourceId };
}

/** The first hundred places of the words in a text, in their order, without overlaps. */
function marksOfWords(text: string | null, words: readonly string[]): readonly Mark[] {
  const lower = (text ?? "").toLowerCase();
  // A few letters of some alphabets have another length in lower case: then no place is certain.
  if (text === null || lower.length !== text.length) return [];
  const marks: Mark[] = [];
  for (const word of words.map((one) => one.toLowerCase()))
    for (
      let start = lower.indexOf(word);
      start !== -1 && marks.length < 100;
      start = lower.indexOf(word, start + 1)
    )
      marks.push({ start, length: word.length });
  return marks.sort((a, b) => a.start - b.start);
}
