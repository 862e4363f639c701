import { formatMinutes } from "../../lib/duration.ts";
import { DAY } from "../../lib/instant.ts";
import { formatShare } from "../../lib/numbers.ts";
import type { Alert, Explanation } from "../model/alert.ts";
import { type AuthorListing, authorKeyOf } from "../model/author-list.ts";
import { eventAt, type Mention, speakerOf } from "../model/mention.ts";
import type { ShownStory } from "../model/shown.ts";
import { shortLine } from "./escape.ts";
import { formatCompact, formatDay, formatNumber, formatTime, formatTimeAfter } from "./formatters.ts";
import type { FindingView } from "./view.ts";

/** The findings about an alert as short lines, the most useful first. Names and words in them are hostile. */
export function buildFindings(
  alert: Alert,
  explanation: Explanation | null,
  timezone: string,
): readonly FindingView[] {
  if (explanation === null) return [];
  const found: readonly FindingView[] = [
    { part: "who", label: "Who", text: peopleOf(explanation) },
    { part: "who", label: "Where", text: shares(explanation.domains) },
    { part: "size", label: "How big", text: sizeOf(alert, explanation, timezone) },
    { part: "size", label: "Mood", text: moodOf(alert, explanation) },
    { part: "measured", label: TOPICS, text: topicsOf(explanation) },
    { part: "measured", label: NEW_WORDS, text: newWordsOf(explanation) },
    { part: "measured", label: "Counted", text: completenessOf(alert, explanation, timezone) },
  ];
  return found.filter(({ text }) => text !== "");
}

export const TOPICS = "Topics";

/** "Cancelled Flight 58% (usually 14%)". */
export function topicsOf({ topics }: Pick<Explanation, "topics">): string {
  return shares(topics);
}

export const NEW_WORDS = "New words";

/** "cancelled, rebook, #stranded"; one word alone says nothing of what they talk about. */
export function newWordsOf({ words }: Pick<Explanation, "words">): string {
  return words.length < 2 ? "" : words.map((word) => shortLine(word, 30)).join(", ");
}

/** "shared 142 times; first by A, 09:02; furthest by B, 184k followers". */
export function describeStory(
  { mentions, first, widest }: ShownStory,
  { openedAt }: Alert,
  timezone: string,
): string {
  const who = (mention: Mention) => shortLine(speakerOf(mention) ?? "an unknown author", 40);
  const began = `${who(first)}, ${formatTimeAfter(eventAt(first), openedAt, timezone)}`;
  const audience = audienceOf(widest);
  const shared = `shared ${formatNumber(mentions)} times`;
  if (audience === null) return `${shared}; first by ${began}`;
  return widest.resourceId === first.resourceId
    ? `${shared}; first and furthest by ${began}, ${audience}`
    : `${shared}; first by ${began}; furthest by ${who(widest)}, ${audience}`;
}

/** A mention whose author people have on their lists. */
export interface ListedMention {
  readonly mention: Mention;
  readonly lists: readonly AuthorListing[];
}

/** "Ann Example (VIP: call her first)"; of several authors without the notes: "Ann (VIP), Bo (press, VIP) and 2 more". */
export function describeListed(listed: readonly ListedMention[]): string {
  const byAuthor = new Map<string, ListedMention>();
  for (const one of [...listed].sort((a, b) => followersOf(b) - followersOf(a))) {
    const key = authorKeyOf(one.mention)?.toLowerCase() ?? "";
    if (!byAuthor.has(key)) byAuthor.set(key, one);
  }
  const isOne = byAuthor.size === 1;
  const authors = [...byAuthor.values()].map(({ mention, lists }) => {
    const on = lists.map(({ list, note }) =>
      isOne && note !== "" ? `${shortLine(list, 40)}: ${shortLine(note, 80)}` : shortLine(list, 40),
    );
    return `${shortLine(speakerOf(mention) ?? "an unknown author", 40)} (${[...new Set(on)].join(", ")})`;
  });
  const more = authors.length - MOST_LISTED_AUTHORS;
  const shown = authors.slice(0, MOST_LISTED_AUTHORS).join(", ");
  return more > 0 ? `${shown} and ${formatNumber(more)} more` : shown;
}

const MOST_LISTED_AUTHORS = 3;

function followersOf({ mention: { followers } }: ListedMention): number {
  return followers ?? 0;
}

/** "the first such alert in 30 days", "the 3rd such alert in 6 days". */
export function howOften({ alerts, days }: { readonly alerts: number; readonly days: number }): string {
  const nth = alerts === 0 ? "first" : formatOrdinal(alerts + 1);
  return `the ${nth} such alert in ${days === 1 ? "a day" : `${formatNumber(days)} days`}`;
}

/** `2nd`, `3rd`, `11th`, `21st`. */
function formatOrdinal(number: number): string {
  return `${formatNumber(number)}${ORDINAL_ENDINGS[ORDINALS.select(number)] ?? "th"}`;
}

const ORDINALS = new Intl.PluralRules("en", { type: "ordinal" });
const ORDINAL_ENDINGS: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> = {
  one: "st",
  two: "nd",
  few: "rd",
};

function audienceOf({ followers, reach }: Mention): string | null {
  if (followers !== null && followers > 0) return `${formatCompact(followers)} followers`;
  return reach !== null && reach > 0 ? `reach ${formatCompact(reach)}` : null;
}

function sizeOf(alert: Alert, { since, largest }: Explanation, timezone: string): string {
  const parts: string[] = [];
  if (since !== null) parts.push(`more than usual since ${formatTimeAfter(since, alert.openedAt, timezone)}`);
  const length = formatMinutes(alert.windowTo - alert.windowFrom);
  if (largest !== null && largest.since === null && alert.openedAt - largest.knownFrom >= DAY) {
    parts.push(`the most in ${length} since counting began on ${formatDay(largest.knownFrom, timezone)}`);
  } else if (largest?.since != null && alert.openedAt - largest.since >= DAY) {
    parts.push(`the most in ${length} since ${formatTime(largest.since, timezone)}`);
  }
  return parts.join("; ");
}

/** A change of ten points is a finding; less is noise. */
const TURN = 0.1;

function moodOf(alert: Alert, { negative }: Explanation): string {
  // An alert on the share of negative mentions already says it, for another moment and so with another number.
  if (alert.values["negativeShare"] !== undefined) return "";
  if (negative === null || Math.abs(negative.now - negative.before) < TURN) return "";
  return `${formatShare(negative.now)} of all mentions negative (usually ${formatShare(negative.before)})`;
}

function peopleOf({ authors, looked, reposts }: Explanation): string {
  if (looked.now < 2 || authors.count === 0) return "";
  const parts = [`${formatNumber(authors.count)} ${authors.count === 1 ? "author" : "authors"}`];
  const [loudest] = authors.loudest;
  if (authors.count === 1 && loudest !== undefined) {
    parts[0] = `all by ${shortLine(loudest.name, 40)}`;
  } else if (loudest !== undefined) {
    const most = authors.loudest.map((one) => `${shortLine(one.name, 40)} (${formatNumber(one.mentions)})`);
    parts.push(`most by ${most.join(", ")}`);
  }
  const isUsual = reposts.before !== null && Math.abs(reposts.now - reposts.before) < TURN;
  if (reposts.now >= TURN && !isUsual) {
    const usual = reposts.before === null ? "" : ` (usually ${formatShare(reposts.before)})`;
    parts.push(`${formatShare(reposts.now)} repeat another text${usual}`);
  }
  return parts.join("; ");
}

/** Up to when the query was read. The alert itself says how much of its window is missing. */
function completenessOf(alert: Alert, { completeUntil }: Explanation, timezone: string): string {
  if (completeUntil === null || completeUntil >= alert.windowTo) return "";
  return `complete until ${formatTimeAfter(completeUntil, alert.openedAt, timezone)} only`;
}

function shares(parts: Explanation["topics"]): string {
  return parts
    .map(
      ({ name: what, now, before }) =>
        `${shortLine(what, 50)} ${formatShare(now)} (usually ${formatShare(before)})`,
    )
    .join(", ");
}
