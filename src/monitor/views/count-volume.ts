import type { QueryKey, StepCount } from "../model/mention-counts.ts";

/** A query, or all that are too many for a colour of their own. */
export interface VoiceOf {
  readonly name: string;
  /** Null: several queries. */
  readonly queryId: string | null;
  readonly fill: string;
  /** By step. */
  readonly counts: readonly number[];
  readonly total: number;
  readonly before: number;
  readonly negative: number;
  readonly negativeBefore: number;
}

export interface Volume {
  /** Loudest first. */
  readonly voices: readonly VoiceOf[];
  /** By step. */
  readonly moods: readonly Mood[];
  readonly total: number;
  readonly before: number;
  readonly mood: Mood;
  readonly moodBefore: Mood;
  /** By step of the period before. */
  readonly countsBefore: readonly number[];
}

export interface Mood {
  readonly negative: number;
  readonly neutral: number;
  readonly positive: number;
  /** Without a sentiment that is known. */
  readonly unknown: number;
}

export interface NamedQuery extends QueryKey {
  readonly name: string;
}

/** Colours of the style sheet that people tell apart; one is for the rest. */
const COLOURS = 6;

/** The counts of a period and of the one before, by query and by sentiment. */
export function buildVolume(
  queries: readonly NamedQuery[],
  steps: number,
  counts: readonly StepCount[],
  before: readonly StepCount[],
): Volume {
  const ranked = queries
    .map((query) => ({ query, own: ofQuery(counts, query), past: ofQuery(before, query) }))
    .sort((a, b) => sum(b.own, total) - sum(a.own, total) || a.query.name.localeCompare(b.query.name, "en"));
  const alone = ranked.length <= COLOURS ? ranked : ranked.slice(0, COLOURS - 1);
  const rest = ranked.slice(alone.length);
  const voice = (
    name: string,
    queryId: string | null,
    fill: string,
    own: StepCount[],
    past: StepCount[],
  ): VoiceOf => ({
    ...{ name, queryId, fill },
    counts: byStep(own, steps),
    total: sum(own, total),
    before: sum(past, total),
    negative: sum(own, ({ negative }) => negative),
    negativeBefore: sum(past, ({ negative }) => negative),
  });
  const others = voice(
    `${rest.length} others`,
    null,
    "fill-others",
    rest.flatMap(({ own }) => own),
    rest.flatMap(({ past }) => past),
  );
  return {
    voices: [
      ...alone.map(({ query, own, past }, n) => voice(query.name, query.queryId, `fill-${n + 1}`, own, past)),
      ...(rest.length === 0 ? [] : [others]),
    ],
    moods: moodsByStep(counts, steps),
    total: sum(counts, total),
    before: sum(before, total),
    mood: moodOf(counts),
    moodBefore: moodOf(before),
    countsBefore: byStep(before, steps),
  };
}

function total({ mentions }: StepCount): number {
  return mentions;
}

function ofQuery(counts: readonly StepCount[], { projectId, queryId }: QueryKey): StepCount[] {
  return counts.filter((one) => one.projectId === projectId && one.queryId === queryId);
}

function byStep(counts: readonly StepCount[], steps: number): number[] {
  const sums = new Array<number>(steps).fill(0);
  for (const one of counts) sums[one.step] = (sums[one.step] ?? 0) + one.mentions;
  return sums;
}

function moodsByStep(counts: readonly StepCount[], steps: number): Mood[] {
  const byStep = Array.from({ length: steps }, (): StepCount[] => []);
  for (const one of counts) byStep[one.step]?.push(one);
  return byStep.map(moodOf);
}

function moodOf(counts: readonly StepCount[]): Mood {
  const [negative, neutral, positive] = [
    sum(counts, (one) => one.negative),
    sum(counts, (one) => one.neutral),
    sum(counts, (one) => one.positive),
  ];
  return { negative, neutral, positive, unknown: sum(counts, total) - negative - neutral - positive };
}

function sum(counts: readonly StepCount[], of: (one: StepCount) => number): number {
  return counts.reduce((all, one) => all + of(one), 0);
}
