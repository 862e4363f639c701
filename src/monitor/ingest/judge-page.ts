import { DAY, type Instant } from "../../lib/instant.ts";
import type { AlertLife } from "../alerts/alert-life.ts";
import type { CountChange } from "../model/judging.ts";
import { eventAt, type Mention, type MentionCategory } from "../model/mention.ts";
import type { WatchedQuery } from "../model/query.ts";
import { storyKey } from "../model/story.ts";
import type { MentionRule } from "../rules/rule.ts";
import { type AlertObservation, observationOf } from "./apply-observations.ts";
import type { AssessedMention } from "./assess-mention.ts";
import type { DistinctAuthorChange } from "./count-distinct-authors.ts";
import { countedAt, createPageCounts } from "./page-counts.ts";

/** A mention that is new (`before` null), that changed since it was stored, or that is deleted (`after` null). */
export type MentionChange =
  | { readonly before: AssessedMention | null; readonly after: AssessedMention }
  | { readonly before: AssessedMention; readonly after: null };

/** A mention met a mention rule. */
export interface MentionEvidence {
  readonly rule: MentionRule;
  readonly mention: Mention;
  /** When it arrived, or when it changed so that it meets the rule. */
  readonly at: Instant;
  readonly because: string;
}

/** A page in our own time: timestamps of the server are corrected by our clock, since its own may be hours off. */
interface SeenPage {
  readonly seenAt: Instant;
  /** How far the server's clock runs behind ours; negative if it is ahead. */
  readonly behindMs: number;
}

interface JudgedPage {
  readonly counts: readonly CountChange[];
  /** For series that count each author once. */
  readonly distinctAuthors: readonly DistinctAuthorChange[];
  readonly evidence: readonly MentionEvidence[];
}

/**
 * Evaluates a page: the counts that change, and the mention rules that are met. Everything goes to the arrival bucket
 * of its own time, or to the first open one if that bucket has been evaluated, so that no count changes after a
 * verdict. Only the series in `counted` change: the others get their history first (prepareSeries).
 */
export function judgePage(
  query: Pick<WatchedQuery, "watchFrom" | "tickedUntil">,
  counted: ReadonlySet<string>,
  changes: readonly MentionChange[],
  seen: SeenPage,
): JudgedPage {
  const pageCounts = createPageCounts();
  const distinctAuthors: DistinctAuthorChange[] = [];
  const evidence: MentionEvidence[] = [];
  const count = (assessed: AssessedMention, arrived: Instant, n: 1 | -1): void => {
    // A clock that runs a little ahead of ours is trusted, but nothing counts after its arrival.
    const event = Math.min(countedAt(assessed.mention, seen.behindMs), arrived);
    for (const key of assessed.series) if (counted.has(key)) pageCounts.add(key, arrived, event, n);
    for (const author of assessed.distinctAuthors) {
      if (counted.has(author.series))
        distinctAuthors.push({ ...author, arrivedAt: arrived, eventAt: event, n });
    }
  };
  for (const { before, after } of changes) {
    if (after === null) {
      count(before, Math.max(seen.seenAt, query.tickedUntil), -1);
      continue;
    }
    const { mention } = after;
    const stamped = before === null ? mention.addedAt : mention.updatedAt;
    const at = Math.min(stamped + seen.behindMs, seen.seenAt);
    const arrived = Math.max(at, query.tickedUntil);
    if (before !== null) count(before, arrived, -1);
    count(after, arrived, 1);
    if (at < query.watchFrom) continue;
    for (const { rule, because } of after.met) {
      if (before === null) evidence.push({ rule, mention, at, because });
      else if (!before.met.some((met) => met.rule === rule)) {
        evidence.push({
          rule,
          mention,
          at,
          because: `${because}; ${describeChange(before.mention, mention)}`,
        });
      }
    }
  }
  return { counts: pageCounts.changes(), distinctAuthors, evidence };
}

/** The stories whose size the severity of this evidence depends on, and since when; null if it depends on none. */
export function storiesToCount(
  evidence: readonly MentionEvidence[],
  stories: ReadonlyMap<Mention, string>,
): { readonly stories: readonly string[]; readonly since: Instant } | null {
  const asking = evidence.filter(({ rule }) => rule.countsStory);
  if (asking.length === 0) return null;
  return {
    stories: [...new Set(asking.map(({ mention }) => stories.get(mention) ?? storyKey(mention)))],
    since: Math.min(...asking.map(({ mention }) => eventAt(mention))) - DAY,
  };
}

/**
 * What the alerts of mention rules learn of this evidence, which is in order of time. `stories`: of mentions that are
 * near-duplicates of others. `sizes`: the mentions of the stories of `storiesToCount`.
 */
export function mentionObservations(
  query: WatchedQuery,
  evidence: readonly MentionEvidence[],
  stories: ReadonlyMap<Mention, string>,
  sizes: ReadonlyMap<string, number>,
): readonly AlertObservation[] {
  return evidence.map(({ rule, mention, at, because }) => ({
    ...observationOf(rule, query, rule.labels(mention, query, stories.get(mention))),
    observe: (life) => ({
      kind: "evidence",
      at,
      mentions: 1,
      because,
      windowFrom: at,
      windowTo: at,
      values: {},
      ...rule.reached({
        mentions: 1 + mentionsSoFar(life, at, rule.overAfterMs),
        reach: mention.reach,
        followers: mention.followers,
        story: rule.countsStory ? (sizes.get(stories.get(mention) ?? storyKey(mention)) ?? 1) : 1,
      }),
    }),
    mention,
  }));
}

/** Mentions of the alert that one from this moment will belong to; 0 if it will open an alert of its own. */
function mentionsSoFar(life: AlertLife | null, at: Instant, overAfterMs: number): number {
  return life === null || life.resolvedAt !== null || at > life.lastSeenAt + overAfterMs ? 0 : life.mentions;
}

const SENTIMENTS = new Set(["positive", "neutral", "negative"]);

/**
 * Describes in our words what changed on a mention since it was stored. Its own values are hostile and are not
 * repeated; category names come from the account, without characters that any format interprets.
 */
function describeChange(before: Mention, after: Mention): string {
  const changes: string[] = [];
  if (before.sentiment !== after.sentiment) {
    changes.push(
      `its sentiment changed from ${sentiment(before.sentiment)} to ${sentiment(after.sentiment)}`,
    );
  }
  const gained = after.categories.filter(({ id }) => !before.categories.some((known) => known.id === id));
  if (gained.length > 0) changes.push(`it was put into ${formatCategories(gained)}`);
  if (number(after.reach) > number(before.reach)) {
    changes.push(
      `its reach grew from ${number(before.reach).toLocaleString("en")} to ${number(after.reach).toLocaleString("en")}`,
    );
  }
  if (number(after.followers) > number(before.followers)) changes.push("its author gained followers");
  return changes.length === 0 ? "it was edited after it was seen" : `${changes.join(", ")} after it was seen`;
}

function formatCategories(gained: readonly MentionCategory[]): string {
  const names = gained.map(({ name }) => plainName(name ?? "")).filter((name) => name !== "");
  const most = names.slice(0, MOST_NAMES).join(", ");
  if (gained.length === 1) return most === "" ? "a category" : `the category ${most}`;
  return most === "" ? `${gained.length} categories` : `${gained.length} categories: ${most}`;
}

const MOST_NAMES = 3;

function plainName(name: string): string {
  return name
    .replaceAll(/[^\p{L}\p{M}\p{N} &-]/gu, " ")
    .replaceAll(/ +/g, " ")
    .trim()
    .slice(0, 40);
}

function sentiment(value: string | null): string {
  return value !== null && SENTIMENTS.has(value) ? value : "unknown";
}

function number(value: number | null): number {
  return value ?? 0;
}
