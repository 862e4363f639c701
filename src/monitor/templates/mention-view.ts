import type { Instant } from "../../lib/instant.ts";
import { foldText } from "../../lib/text.ts";
import { eventAt, type Mention, speakerOf } from "../model/mention.ts";
import { storyKey } from "../model/story.ts";
import { deletedWords } from "../model/wording.ts";
import { cleanLine, safeUrl, shortenText } from "./escape.ts";

/**
 * One mention as templates see it. Every text comes from strangers; it is cleaned and shortened here, and escaped by
 * the format of the template that shows it.
 */
export interface MentionView {
  readonly author: string | null;
  /** Who says it: the author's display name or handle, else the site's title or domain, else "unknown author". */
  readonly authorName: string;
  /** Its headline, one line, shortened; null if it has none, or only the beginning of its text. */
  readonly title: string | null;
  /** One line, shortened by grapheme; empty where the source withholds it, or the headline says it already. */
  readonly text: string;
  /** http or https only, already percent-encoded; null if there is no safe one. */
  readonly url: string | null;
  readonly domain: string | null;
  /** twitter, news, forum, …; the source may add values. */
  readonly pageType: string | null;
  /** positive, neutral, negative; the source may add values. */
  readonly sentiment: string | null;
  readonly verified: boolean;
  readonly followers: number | null;
  readonly reach: number | null;
  readonly publishedAt: Instant | null;
  /** Mentions with the same content (reposts, syndicated copies, identical texts), this one included; 1 or more. */
  readonly copies: number;
}

/** A mention for templates: cleaned, on one line, shortened, its address checked. `copies` is the size of its story. */
export function buildMentionView(mention: Mention, copies = 1): MentionView {
  const url = safeUrl(mention.url);
  const author = line(mention.author, MAX_NAME);
  // Take the link's name from its address: the source could name any address paypal.com.
  const domain = url === null ? line(mention.domain, MAX_NAME) : hostOf(url);
  return {
    author,
    authorName: line(speakerOf(mention), MAX_NAME) ?? domain ?? "unknown author",
    ...wordsOf(mention),
    url,
    domain,
    pageType: line(mention.pageType, MAX_NAME),
    sentiment: line(mention.sentiment, MAX_NAME),
    verified: mention.verified === true,
    followers: mention.followers,
    reach: mention.reach,
    publishedAt: mention.publishedAt,
    copies,
  };
}

/** The headline and the text below it, neither of which repeats the other. */
function wordsOf(mention: Pick<Mention, "title" | "text">): Pick<MentionView, "title" | "text"> {
  const title = line(mention.title, MAX_TITLE);
  const text = line(mention.text, MAX_TEXT) ?? "";
  if (title === null || text === "") return { title, text };
  const whole = cleanLine((mention.text ?? "").slice(0, MOST_READ));
  const begin = cleanLine((mention.title ?? "").slice(0, MOST_READ));
  if (whole === begin) return { title, text: "" };
  // Networks without titles make one from the first words.
  const isBeginning = whole.startsWith(begin.replace(/(?:…|\.\.\.)$/, "").trimEnd());
  return { title: isBeginning ? null : title, text };
}

/** Stands in the place of mentions that were deleted. */
export function deletedMentions(count: number): MentionView {
  const authorName = deletedWords(count);
  const nothing = { author: null, url: null, domain: null, pageType: null, sentiment: null };
  const unknown = { verified: false, followers: null, reach: null, publishedAt: null };
  return { ...nothing, ...unknown, authorName, title: null, text: "", copies: 1 };
}

/** Keeps the end of a long domain, which shows its owner. */
function hostOf(url: string): string {
  const host = new URL(url).hostname.replace(/^www\./, "");
  return host.length > MAX_NAME ? `…${host.slice(1 - MAX_NAME)}` : host;
}

const MAX_TEXT = 280;
const MAX_TITLE = 160;
const MAX_NAME = 50;
const MOST_READ = 40 * MAX_TEXT;

/** Reads only the beginning: a text of a megabyte must not cost more than a usual one. */
function line(text: string | null, limit: number): string | null {
  if (text === null) return null;
  const cleaned = cleanLine(text.slice(0, 40 * limit));
  return cleaned === "" ? null : shortenText(cleaned, limit);
}

/** A mention to show, with the size of its story. */
interface TopMention {
  readonly mention: Mention;
  readonly copies: number;
}

/**
 * The few mentions that explain an alert best: first the story that many of them share, for it is what the alert is
 * about, then one per story, negative ones first, then by how many people may have seen them (copies of the same text
 * add up), then the earliest, where it started.
 */
export function topMentions(
  mentions: readonly Mention[],
  limit: number,
  storyOf: (mention: Mention) => string = storyKey,
): readonly TopMention[] {
  const stories = new Map<string, Story>();
  for (const mention of mentions) addTo(stories, storyOf(mention), mention);
  const mainRows = ({ rows }: Story) =>
    rows >= MAIN_STORY.atLeast && rows >= MAIN_STORY.share * mentions.length ? rows : 0;
  return [...stories.values()]
    .sort((a, b) => mainRows(b) - mainRows(a) || compareStories(a, b))
    .slice(0, limit);
}

/** How many mentions, and which share of all, make a story the one that an alert is about: most are told in many ways. */
export const MAIN_STORY = { atLeast: 3, share: 0.1 };

/** The story that most of these mentions share; null where each is a story of its own. */
export function largestStory(stories: readonly string[]): string | null {
  const sizes = new Map<string, number>();
  for (const story of stories) sizes.set(story, (sizes.get(story) ?? 0) + 1);
  const [largest] = [...sizes].sort(([, a], [, b]) => b - a);
  return largest === undefined || largest[1] < 2 ? null : largest[0];
}

/**
 * The mention in the mood of `top` that has most of the words in which an alert differs from the days before, two at
 * least; of equals the one that most people may have seen, then the earliest. Null where there is none.
 */
export function typicalMention(
  mentions: readonly Mention[],
  words: readonly string[],
  top: Mention,
): Mention | null {
  let typical: Typical | null = null;
  for (const mention of mentions) {
    if (mention.sentiment !== top.sentiment) continue;
    const text = foldText(`${mention.title ?? ""} ${mention.text ?? ""}`.slice(0, MOST_READ));
    const has = words.filter((word) => text.includes(word)).length;
    if (has < 2 || (typical !== null && !isMoreTypical({ mention, has }, typical))) continue;
    typical = { mention, has };
  }
  return typical?.mention ?? null;
}

interface Typical {
  readonly mention: Mention;
  readonly has: number;
}

function isMoreTypical(one: Typical, other: Typical): boolean {
  if (one.has !== other.has) return one.has > other.has;
  const [seen, seenOther] = [audienceOf(one.mention), audienceOf(other.mention)];
  return seen === seenOther ? eventAt(one.mention) < eventAt(other.mention) : seen > seenOther;
}

interface Story {
  mention: Mention;
  rows: number;
  /** Of different authors, and what the source says of reposts. */
  copies: number;
  readonly authors: Set<string>;
  audience: number;
}

function addTo(stories: Map<string, Story>, key: string, mention: Mention): void {
  const story = stories.get(key);
  if (story === undefined) {
    const copies = 1 + (mention.reposts ?? 0);
    const authors = new Set([authorOf(mention)]);
    stories.set(key, { mention, rows: 1, copies, authors, audience: audienceOf(mention) });
    return;
  }
  story.rows += 1;
  // Who posts it twice shares nothing.
  if (!story.authors.has(authorOf(mention))) story.copies += 1;
  story.authors.add(authorOf(mention));
  story.audience += audienceOf(mention);
  if (isBetterTopMention(mention, story.mention)) story.mention = mention;
}

/** A repost is always another one. */
function authorOf({ author, repostOf, resourceId }: Mention): string {
  return author === null || repostOf !== null ? `of ${resourceId}` : author;
}

/** The original rather than a repost of it, else the one that most people follow. */
function isBetterTopMention(candidate: Mention, current: Mention): boolean {
  const isOriginal = candidate.repostOf === null;
  if (isOriginal !== (current.repostOf === null)) return isOriginal;
  return audienceOf(candidate) > audienceOf(current);
}

function audienceOf(mention: Mention): number {
  return Math.max(mention.reach ?? 0, mention.impressions ?? 0, mention.followers ?? 0, 0);
}

function compareStories(a: Story, b: Story): number {
  const negative = Number(b.mention.sentiment === "negative") - Number(a.mention.sentiment === "negative");
  if (negative !== 0) return negative;
  if (a.audience !== b.audience) return b.audience - a.audience;
  if (a.copies !== b.copies) return b.copies - a.copies;
  return eventAt(a.mention) - eventAt(b.mention);
}
