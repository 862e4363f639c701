import type { Instant } from "../lib/instant.ts";
import { eventAt, type Mention } from "../model/mention.ts";

/** All mentions of a period that tell one story of one query, summed up. A story may have one mention. */
export interface StoryFacts {
  readonly story: string;
  /** The mention that is shown for it. */
  readonly face: Mention;
  readonly mentions: number;
  readonly negative: number;
  /** Different authors; those whom the source withholds count one each. */
  readonly voices: number;
  /** How many people its mentions may have reached, added up. */
  readonly audience: number;
  readonly firstAt: Instant;
}

/** Folds mentions with their story keys, in any order, into stories. One pass; the result is in no order. */
export function gatherStories(
  candidates: Iterable<{ readonly story: string; readonly mention: Mention }>,
): readonly StoryFacts[] {
  const gathered = new Map<string, Gathering>();
  for (const { story, mention } of candidates) {
    const key = JSON.stringify([mention.queryId, story]);
    const known = gathered.get(key);
    if (known) add(known, mention);
    else gathered.set(key, begin(story, mention));
  }
  return [...gathered.values()].map(({ authors, anonymous, ...facts }) => ({
    ...facts,
    voices: authors.size + anonymous,
  }));
}

/** How far a mention may have reached, from what the source says: numbers of strangers, kept within reason. */
export function audienceOf({ reach, impressions, followers }: Mention): number {
  const largest = Math.max(reach ?? 0, impressions ?? 0, followers ?? 0, 0);
  return Number.isFinite(largest) ? Math.min(largest, LARGEST_AUDIENCE) : 0;
}

/**
 * Stories by how much they matter, most first: how many different people tell it, raised by how negative it is and,
 * slowly, by how far it reached. Voices and not mentions, so that one account repeating itself is one voice.
 */
export function rankStories(stories: readonly StoryFacts[]): readonly StoryFacts[] {
  return stories
    .map((story) => ({ story, worth: worthOf(story) }))
    .sort((a, b) => b.worth - a.worth || byAge(a.story, b.story))
    .map(({ story }) => story);
}

/** Eight billion people, and some who look twice. */
const LARGEST_AUDIENCE = 1e10;

type Gathering = { -readonly [Key in keyof Omit<StoryFacts, "voices">]: StoryFacts[Key] } & {
  authors: Set<string>;
  anonymous: number;
};

function begin(story: string, mention: Mention): Gathering {
  const none = { mentions: 0, negative: 0, audience: 0, anonymous: 0, authors: new Set<string>() };
  const gathering: Gathering = { story, face: mention, firstAt: eventAt(mention), ...none };
  add(gathering, mention);
  return gathering;
}

function add(gathering: Gathering, mention: Mention): void {
  gathering.mentions += 1;
  gathering.negative += mention.sentiment === "negative" ? 1 : 0;
  gathering.audience += audienceOf(mention);
  gathering.firstAt = Math.min(gathering.firstAt, eventAt(mention));
  if (mention.author === null) gathering.anonymous += 1;
  else gathering.authors.add(mention.author);
  if (isBetterFace(mention, gathering.face)) gathering.face = mention;
}

/** Originals before reposts, then the widest known, then the first. */
function isBetterFace(candidate: Mention, face: Mention): boolean {
  const original = Number(candidate.repostOf === null) - Number(face.repostOf === null);
  const wider = audienceOf(candidate) - audienceOf(face);
  const earlier = eventAt(face) - eventAt(candidate);
  const order = original || wider || earlier;
  return order === 0 ? candidate.resourceId < face.resourceId : order > 0;
}

function worthOf({ voices, mentions, negative, audience }: StoryFacts): number {
  return voices * (1 + negative / Math.max(mentions, 1)) * (1 + Math.log10(1 + audience) / 5);
}

function byAge(a: StoryFacts, b: StoryFacts): number {
  return a.firstAt - b.firstAt || (a.face.resourceId < b.face.resourceId ? -1 : 1);
}
