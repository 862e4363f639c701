import { BUCKET_MS } from "#monitor";
import { DAY, floorTo, HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import { instantOf, type LocalDate } from "../../lib/local-time.ts";
import { clockMinutes, type Expectation, type RuleTestFile, type Step, type Usual } from "./test-file.ts";

/** One mention of a story, before it has the form that the API or the tables want. */
export interface StoryMention {
  readonly resourceId: string;
  readonly query: string;
  /** When it enters the query. */
  readonly at: Instant;
  readonly publishedAt: Instant;
  readonly text: string;
  readonly title: string | null;
  readonly author: string;
  readonly sentiment: string;
  readonly pageType: string;
  readonly details: Pick<
    Step,
    | "followers"
    | "verified"
    | "reach"
    | "impact"
    | "language"
    | "country"
    | "domain"
    | "url"
    | "category"
    | "tags"
  >;
}

/** The source changes the sentiment of a mention that it has sent. */
export interface StoryChange {
  readonly at: Instant;
  readonly resourceId: string;
  readonly sentiment: string;
}

/** What a person does at that moment. */
export type StoryAction =
  | { readonly at: Instant; readonly do: "acknowledge" | "resolve" | "not-relevant"; readonly rule: string }
  | { readonly at: Instant; readonly do: "silence"; readonly rule: string; readonly lengthMs: number };

export interface Story {
  readonly start: Instant;
  readonly end: Instant;
  /** In order of time; the usual ones go on during the story. */
  readonly mentions: readonly StoryMention[];
  readonly changes: readonly StoryChange[];
  readonly actions: readonly StoryAction[];
  /** Moments at which the clock stops, in order: there is something to see or to do. */
  readonly stops: readonly Instant[];
  /** Those of them at which expectations look at a Slack message, which changes while its alert goes on. */
  readonly readsSlackAt: ReadonlySet<Instant>;
}

/** The moment of a test that a text such as `09:15` or `day 2 09:15` names. */
export function momentIn({ start }: Pick<RuleTestFile, "start">, text: string): Instant {
  return instantOf(start.zone, dateOf(start.date), clockMinutes(start, text));
}

export function startOf({ start }: Pick<RuleTestFile, "start">): Instant {
  return instantOf(start.zone, dateOf(start.date), start.minutes);
}

function dateOf(iso: string): LocalDate {
  const [year = 0, month = 0, day = 0] = iso.split("-").map(Number);
  return { year, month, day };
}

/** All that happens, from the test alone: the same file is always the same story. */
export function storyOf(test: RuleTestFile, queries: readonly string[]): Story {
  const start = startOf(test);
  const end = endOf(test);
  const scripted: StoryMention[] = [];
  const changes: StoryChange[] = [];
  const actions: StoryAction[] = [];
  const steps = test.story.map((step) => ({ step, at: momentIn(test, step.at) })).sort((a, b) => a.at - b.at);
  for (const { step, at } of steps) {
    if (step.mentions !== undefined) scripted.push(...mentionsOf(step, at, queries, scripted.length));
    if (step.reclassify !== undefined) changes.push(...changesOf(step.reclassify, at, scripted, changes));
    actions.push(...actionsOf(step, at));
  }
  const goesOn = test.usual?.goesOn === true ? usualMentions(test.usual, queries, start, end) : [];
  const mentions = [...scripted, ...goesOn].sort((a, b) => a.at - b.at);
  const moments = [...scripted, ...changes, ...actions].map(({ at }) => at);
  const stops = stopsOf(test, start, end, moments);
  const readsSlackAt = new Set(test.expect.flatMap((expected) => slackReads(test, expected, stops)));
  return { start, end, mentions, changes, actions, stops, readsSlackAt };
}

/** An hour after the last moment that the test names, unless it says when. */
function endOf(test: RuleTestFile): Instant {
  if (test.until !== undefined) return momentIn(test, test.until);
  const named = [
    ...test.story.map(({ at, mentions }) => momentIn(test, at) + (mentions?.withinMs ?? 0)),
    ...namedMoments(test),
  ];
  return Math.max(startOf(test), ...named) + HOUR;
}

function mentionsOf(step: Step, at: Instant, queries: readonly string[], before: number): StoryMention[] {
  const { count, withinMs } = step.mentions ?? { count: 0, withinMs: 0 };
  const query = step.query ?? queries[0] ?? "";
  const random = createRandom(`${step.at} ${before}`);
  return Array.from({ length: count }, (_, index) => {
    const number = before + index + 1;
    const moment = at + Math.floor((index * withinMs) / count);
    return {
      resourceId: `story-${String(number).padStart(6, "0")}`,
      query,
      at: moment,
      publishedAt: moment - (step.publishedBefore ?? 0),
      text: step.text?.[index % step.text.length] ?? sentence(query, random),
      title: step.title ?? null,
      author: authorOf(step.authors, index, count, `${before}`),
      sentiment: step.sentiment,
      pageType: step.pageType,
      details: step,
    };
  });
}

/** A number means that many people, each as often as the others. */
function authorOf(authors: Step["authors"], index: number, count: number, prefix: string): string {
  if (Array.isArray(authors)) return authors[index % authors.length] ?? "";
  return `person_${prefix}_${index % Math.min(authors ?? count, count)}`;
}

function changesOf(
  { from, to }: NonNullable<Step["reclassify"]>,
  at: Instant,
  scripted: readonly StoryMention[],
  earlier: readonly StoryChange[],
): StoryChange[] {
  const now = new Map(scripted.filter((one) => one.at <= at).map((one) => [one.resourceId, one.sentiment]));
  for (const { resourceId, sentiment } of earlier) now.set(resourceId, sentiment);
  return [...now].flatMap(([resourceId, sentiment]) =>
    sentiment === to || (from !== null && sentiment !== from) ? [] : [{ at, resourceId, sentiment: to }],
  );
}

function actionsOf(step: Step, at: Instant): StoryAction[] {
  const { acknowledge, resolve, notRelevant, silence } = step;
  if (acknowledge !== undefined) return [{ at, do: "acknowledge", rule: acknowledge }];
  if (resolve !== undefined) return [{ at, do: "resolve", rule: resolve }];
  if (notRelevant !== undefined) return [{ at, do: "not-relevant", rule: notRelevant }];
  if (silence !== undefined) return [{ at, do: "silence", rule: silence.rule, lengthMs: silence.for }];
  return [];
}

/**
 * What the test names, and a grid between: each bucket's end while something happens, quarters of an hour in the hour
 * after it, half hours in quiet times. Verdicts do not depend on it, because a window is judged by its own time; only
 * messages come at the next stop.
 */
function stopsOf(test: RuleTestFile, start: Instant, end: Instant, moments: readonly Instant[]): Instant[] {
  const stops = new Set<Instant>([start, end, ...namedMoments(test)]);
  for (const { at } of test.story) stops.add(momentIn(test, at));
  const busy = new Set(moments.map((at) => floorTo(at, BUCKET_MS)));
  let quietSince = Number.NEGATIVE_INFINITY;
  for (let at = floorTo(start, BUCKET_MS); at <= end; at += BUCKET_MS) {
    if (busy.has(at)) quietSince = at + BUCKET_MS;
    const quietMs = at - quietSince;
    const every = quietMs <= BUCKET_MS ? BUCKET_MS : quietMs <= HOUR ? 15 * MINUTE : 30 * MINUTE;
    if (at % every === 0) stops.add(at);
  }
  return [...stops].filter((at) => at >= start && at <= end).sort((a, b) => a - b);
}

/** The moments of its expectations. */
function namedMoments(test: RuleTestFile): Instant[] {
  return test.expect.flatMap((expected) => momentsOf(test, expected));
}

function momentsOf(test: RuleTestFile, expected: Expectation): Instant[] {
  const texts =
    "never" in expected ? [expected.never.before, expected.never.after] : [expected.by, expected.after];
  return texts.flatMap((text) => (text === undefined ? [] : [momentIn(test, text)]));
}

/** When the text of a Slack message is looked at; what must never be there, at all times. */
function slackReads(
  test: RuleTestFile,
  expected: Expectation,
  stops: readonly Instant[],
): readonly Instant[] {
  if ("never" in expected) return expected.never.slack === undefined ? [] : stops;
  return expected.slack === undefined ? [] : momentsOf(test, expected);
}

/** What is written on any day, before the story begins: the past that rules learn from. */
export function baselineOf(
  test: Pick<RuleTestFile, "start" | "usual">,
  queries: readonly string[],
): StoryMention[] {
  if (test.usual === undefined) return [];
  const start = startOf(test);
  return usualMentions(test.usual, queries, start - test.usual.days * DAY, start);
}

/** Independent arrivals at a constant rate: as many as usual, but never exactly as many. */
function usualMentions(usual: Usual, queries: readonly string[], from: Instant, to: Instant): StoryMention[] {
  if (usual.mentions === 0) return [];
  return queries.flatMap((query) => {
    const random = createRandom(`${query} ${from}`);
    const gap = (): number => (-Math.log(1 - random()) * HOUR) / usual.mentions;
    const mentions: StoryMention[] = [];
    for (let at = from + gap(); at < to; at += gap()) {
      const mood = random();
      const author = usual.authors === undefined ? mentions.length : Math.floor(random() * usual.authors);
      const moment = Math.floor(at / 1000) * 1000;
      mentions.push({
        resourceId: `usual-${query}-${from}-${mentions.length}`,
        query,
        at: moment,
        publishedAt: moment,
        text: sentence(query, random),
        title: null,
        author: `reader_${usual.authors === undefined ? from / HOUR : 0}_${author}`,
        sentiment:
          mood < usual.negative
            ? "negative"
            : mood < usual.negative + usual.positive
              ? "positive"
              : "neutral",
        pageType: "twitter",
        details: {},
      });
    }
    return mentions;
  });
}

const WORDS: readonly string[] =
  "today shop order team price weekend coffee update parcel colour meeting ticket garden window winter summer photo music train cinema recipe bicycle answer number corner button letter bottle paper market street school office travel review model battery screen charger station museum concert football island mountain river kitchen blanket umbrella jacket pencil notebook lantern".split(
    " ",
  );

/** Different enough from all others to be a story of its own. */
function sentence(query: string, random: () => number): string {
  const picked = Array.from({ length: 9 }, () => WORDS[Math.floor(random() * WORDS.length)] ?? "");
  return `${query}: ${picked.join(" ")} ${Math.floor(random() * 1e9).toString(36)}`;
}

/** Numbers from 0 to 1, always the same for the same seed (mulberry32). */
function createRandom(seed: string): () => number {
  let state = 0x9e3779b9;
  for (const character of seed) state = Math.imul(state ^ character.charCodeAt(0), 0x85ebca6b);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
