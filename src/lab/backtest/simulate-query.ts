import {
  type Alert,
  type AlertObservation,
  type AssessedMention,
  applyObservations,
  arrivalsByBucket,
  BUCKET_MS,
  type ConditionState,
  type CountChange,
  callsOf,
  countDistinctAuthors,
  createAssessor,
  createStoryIndex,
  DISTINCT_AUTHORS_FOR_MS,
  type DistinctAuthor,
  type DistinctAuthorChange,
  distinctAuthorKey,
  endings,
  eventAt,
  judgePage,
  type Match,
  type Mention,
  mentionObservations,
  noteValues,
  noveltiesOf,
  type Query,
  type RecordedObservations,
  type Rule,
  type SeenValue,
  seriesOf,
  stepWindow,
  storiesToCount,
  storyKey,
  storyOf,
  storyOfMention,
  usesOf,
  VALUES_FOR_MS,
  valueKeys,
  valueObservations,
  type WatchedQuery,
} from "#monitor";
import { DAY, floorTo, type Instant } from "../../lib/instant.ts";

/** Mentions, counts and alerts of one query in memory: the part of the tables that its rules need. */
export interface SimulatedQuery {
  readonly query: Query;
  /** What the query's next page will hold. Returns whether the page may change alerts, and so must not wait. */
  take(mention: Mention): boolean;
  /** Judges the mentions taken since the last page, as if they were read at `now`. */
  commitPage(now: Instant): SimulatedChanges;
  /** Judges the bucket that ends at `until`, with the page that may have waited; call it for every bucket. */
  closeBucket(until: Instant): SimulatedChanges;
  open(): readonly Alert[];
  /** The query, as far as it is judged. */
  watched(): WatchedQuery;
}

/** What changed, and the mentions that met the rules of alerts on single ones. */
export interface SimulatedChanges extends RecordedObservations {
  readonly matches: readonly Match[];
}

/** A story is counted for a day before its mention, which may be late. */
const STORIES_FOR_MS = 3 * DAY;

/** What a query has stored of its past: it goes on from there. */
interface LearnedPast {
  readonly watched: WatchedQuery;
  /** Of its window conditions; empty before its first mention. */
  readonly states: readonly ConditionState[];
}

/** Called with changes of counts, as the rules get them. */
export type OnCount = (query: Query, change: CountChange) => void;

/** What the owner of the simulation wants to know. */
interface OnSimulated {
  /** Every change of a count. */
  readonly onCount?: OnCount | undefined;
  /** Every judged mention, with its story. */
  readonly onMention?: ((mention: Mention, story: string) => void) | undefined;
}

/** `rules`: those of the query. Mentions that arrive before `from` only teach them. `learned`: absent at its first mention. */
export function createSimulatedQuery(
  query: Query,
  rules: readonly Rule[],
  from: Instant,
  { onCount = () => {}, onMention }: OnSimulated = {},
  learned?: LearnedPast,
): SimulatedQuery {
  const assess = createAssessor(rules);
  const windowRules = rules.filter((rule) => rule.kind === "window");
  const counted = new Set([...seriesOf(rules), ...noveltiesOf(rules)].map(({ key }) => key));
  const looksAtValues = rules.some(({ kind }) => kind === "new");
  const stories = createStories(rules, onMention === undefined ? "if counted" : "always");
  const values = createValues(rules);
  const authors = new Map<string, DistinctAuthor>();
  const states = new Map<string, ConditionState>();
  const newest = new Map<string, Alert>();
  const open = new Map<string, Alert>();
  let watched: WatchedQuery = {
    ...query,
    watchFrom: from,
    tickedUntil: Number.NEGATIVE_INFINITY,
    isWatched: true,
  };
  let page: AssessedMention[] = [];
  let counts: CountChange[] = [];
  let isStarted = false;
  if (learned !== undefined && learned.states.length > 0) {
    isStarted = true;
    watched = learned.watched;
    for (const state of learned.states) states.set(state.condition, state);
  }

  function start(first: Mention): void {
    isStarted = true;
    const steppedUntil = floorTo(first.addedAt, BUCKET_MS);
    watched = { ...watched, tickedUntil: steppedUntil };
    for (const { window } of windowRules)
      states.set(window.key, {
        condition: window.key,
        baseline: window.baseline,
        state: window.initial(),
        steppedUntil,
        watchFrom: from,
      });
  }

  function apply(observations: readonly AlertObservation[]): SimulatedChanges {
    if (observations.length === 0) return NOTHING;
    const fingerprints = new Set(observations.map(({ fingerprint }) => fingerprint));
    const known = [...fingerprints].flatMap((fingerprint) => newest.get(fingerprint) ?? []);
    const applied = applyObservations(watched, observations, known);
    const { changed, matches } = applied;
    for (const alert of changed) {
      newest.set(alert.fingerprint, alert);
      if (alert.resolvedAt === null) open.set(alert.id, alert);
      else open.delete(alert.id);
    }
    return { changed, matches, calling: callsOf(applied) };
  }

  function count(changes: readonly CountChange[], distinct: readonly DistinctAuthorChange[]): void {
    for (const change of changes) add(change);
    if (distinct.length === 0) return;
    const known = new Map<string, DistinctAuthor>();
    for (const change of distinct) {
      const name = nameOf(distinctAuthorKey(change));
      const found = authors.get(name);
      if (found !== undefined) known.set(name, found);
    }
    const noted = countDistinctAuthors([...known.values()], distinct);
    for (const author of noted.distinctAuthors) authors.set(nameOf(author), author);
    for (const change of noted.counts) add(change);
  }

  function add(change: CountChange): void {
    counts.push(change);
    onCount(query, change);
  }

  function forget(now: Instant): void {
    for (const [name, { span }] of authors) if (span < now - DISTINCT_AUTHORS_FOR_MS) authors.delete(name);
    stories.forget(now - STORIES_FOR_MS);
    values.forget(now - VALUES_FOR_MS);
  }

  function commitPage(now: Instant): SimulatedChanges {
    const assessed = page;
    page = [];
    const mentions = assessed.map(({ mention }) => mention);
    const folded = stories.fold(mentions);
    if (onMention !== undefined)
      for (const mention of mentions) onMention(mention, folded.get(mention) ?? storyKey(mention));
    const changes = assessed.map((one) => ({
      before: null,
      after: storyOfMention(one, folded.get(one.mention)),
    }));
    const judged = judgePage(watched, counted, changes, { seenAt: now, behindMs: 0 });
    count(judged.counts, judged.distinctAuthors);
    const evidence = judged.evidence.toSorted((a, b) => a.at - b.at);
    const asked = storiesToCount(evidence, folded);
    const sizes = asked === null ? new Map<string, number>() : stories.sizes(asked);
    return apply([
      ...mentionObservations(watched, evidence, folded, sizes),
      ...values.note(watched, mentions),
    ]);
  }

  function stepWindows(until: Instant): readonly AlertObservation[] {
    const arrivals = arrivalsByBucket(counts);
    counts = [];
    const openRules = new Set([...open.values()].map(({ rule }) => rule));
    const stepped: ConditionState[] = [];
    const observations: AlertObservation[] = [];
    for (const rule of windowRules) {
      const state = states.get(rule.window.key);
      if (state === undefined) continue;
      const isOpen = openRules.has(rule.name);
      const run = stepWindow(rule, watched, { start: state, arrivals, from, until, isOpen });
      stepped.push(run.state);
      observations.push(...run.observations);
    }
    // Two rules may share a condition; its state is one.
    for (const state of stepped) states.set(state.condition, state);
    return observations;
  }

  return {
    query,
    take: (mention) => {
      if (!isStarted) start(mention);
      const assessed = assess(mention);
      page.push(assessed);
      return looksAtValues || assessed.met.length > 0;
    },
    commitPage,
    closeBucket: (until) => {
      if (!isStarted) return NOTHING;
      const ofPage = page.length === 0 ? NOTHING : commitPage(until);
      const observations = stepWindows(until);
      const ended = open.size === 0 ? [] : endings([...open.values()], rules, until);
      watched = { ...watched, tickedUntil: until };
      if (until % DAY === 0) forget(until);
      return together(ofPage, apply([...observations, ...ended]));
    },
    watched: () => watched,
    open: () => [...open.values()],
  };
}

const NOTHING: SimulatedChanges = { changed: [], matches: [], calling: new Map() };

function together(one: SimulatedChanges, next: SimulatedChanges): SimulatedChanges {
  if (one === NOTHING) return next;
  return {
    changed: [...one.changed, ...next.changed],
    matches: [...one.matches, ...next.matches],
    calling: new Map([...one.calling, ...next.calling]),
  };
}

function nameOf({ series, author, span }: Pick<DistinctAuthor, "series" | "author" | "span">): string {
  return `${series} ${author} ${span}`;
}

/** The stories of mentions. `if counted`: nothing is computed if no rule asks for them. */
function createStories(rules: readonly Rule[], when: "if counted" | "always") {
  const countsSizes = rules.some((rule) => rule.kind === "mention" && rule.countsStory);
  const isUsed =
    when === "always" ||
    countsSizes ||
    rules.some((rule) => rule.groupBy.includes("story")) ||
    seriesOf(rules).some(({ countsStories }) => countsStories === true);
  const index = createStoryIndex();
  /** The mentions' own times, by story, in order: a story is counted again with every page. */
  const times = new Map<string, Instant[]>();
  return {
    /** The stories of near-duplicates of other texts. */
    fold: (mentions: readonly Mention[]): ReadonlyMap<Mention, string> => {
      const folded = new Map<Mention, string>();
      if (!isUsed) return folded;
      for (const mention of mentions) {
        const itself = storyOf(mention);
        const story = index.find(itself);
        if (story !== itself.key) folded.set(mention, story);
        if (!countsSizes) continue;
        const known = times.get(story);
        const at = eventAt(mention);
        if (known === undefined) times.set(story, [at]);
        else if (at >= (known.at(-1) ?? at)) known.push(at);
        else known.splice(firstFrom(known, at), 0, at);
      }
      // The index holds the newest texts itself; nobody else learns them.
      index.news();
      return folded;
    },
    sizes: ({ stories, since }: NonNullable<ReturnType<typeof storiesToCount>>) =>
      new Map(
        stories.map((story) => {
          const moments = times.get(story) ?? [];
          return [story, moments.length - firstFrom(moments, since)];
        }),
      ),
    forget: (before: Instant): void => {
      for (const [story, moments] of times) {
        if ((moments[0] ?? 0) >= before) continue;
        const left = moments.slice(firstFrom(moments, before));
        if (left.length === 0) times.delete(story);
        else times.set(story, left);
      }
    },
  };
}

/** Index of the first of these moments, which are in order, that is not before `at`; their number, if there is none. */
function firstFrom(moments: readonly Instant[], at: Instant): number {
  let [from, to] = [0, moments.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((moments[middle] ?? at) < at) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** What `new` rules have seen. */
function createValues(rules: readonly Rule[]) {
  const novelties = noveltiesOf(rules);
  const seen = new Map(novelties.map(({ key }) => [key, new Map<string, SeenValue>()]));
  return {
    note: (query: WatchedQuery, mentions: readonly Mention[]): readonly AlertObservation[] =>
      novelties.flatMap((novelty) => {
        const known = seen.get(novelty.key) ?? new Map<string, SeenValue>();
        const uses = mentions.flatMap((mention) => usesOf(novelty, mention));
        if (uses.length === 0) return [];
        const stored = valueKeys(uses).flatMap((key) => known.get(key) ?? []);
        const noted = noteValues(novelty.key, novelty, stored, uses);
        for (const value of noted.seen) known.set(value.value, value);
        return rules.flatMap((rule) =>
          rule.kind === "new" && rule.novelty.key === novelty.key
            ? valueObservations(rule, query, noted.large, noted.knownSince)
            : [],
        );
      }),
    forget: (before: Instant): void => {
      for (const known of seen.values())
        for (const [key, { firstAt }] of known) if (key !== "" && firstAt < before) known.delete(key);
    },
  };
}
