import { finishEnrichment, leaseEnrichment } from "#listening-api";
import { groupBy } from "../../lib/group-by.ts";
import { type Instant, MINUTE } from "../../lib/instant.ts";
import { type JudgedText, type LearnedRelevance, learnRelevance } from "./learned-relevance.ts";
import { type Round, type RoundResult, readWaiting, relevanceChanges, store } from "./run-round.ts";

/** At most so many texts of a query that people judged, the newest first. Read anew: a deleted one teaches nothing. */
export type ReadJudged = (
  query: { readonly id: number; readonly name: string },
  most: number,
) => Promise<readonly JudgedText[]>;

type LearnerRound = Omit<Round, "notRelevant">;

const BATCH = 100;
const LEASE_MS = 2 * MINUTE;
/** How long what was learnt is used before newer judgements, and deletes, are read. */
const LEARN_EVERY_MS = MINUTE;
const MOST_JUDGED = 120;

/** Scores waiting mentions by what people said of others of their query, where that was tested to help. */
export function createLearner(judgedOf: ReadJudged): (round: LearnerRound) => Promise<RoundResult> {
  const known = new Map<number, { readonly at: Instant; readonly learned: LearnedRelevance }>();
  const reported = new Map<number, string>();

  async function learnedOf({ clock, log }: LearnerRound, query: { id: number; name: string }) {
    const before = known.get(query.id);
    if (before !== undefined) return before.learned;
    const learned = await learnRelevance(await judgedOf(query, MOST_JUDGED));
    known.set(query.id, { at: clock.now(), learned });
    const { scoreOf: _, ...figures } = { scoreOf: null, ...learned };
    if (reported.get(query.id) !== JSON.stringify(figures)) report(log, query.name, learned);
    reported.set(query.id, JSON.stringify(figures));
    return learned;
  }

  /** What was learnt consists of people's words: it is kept for a minute, whether somebody needs it or not. */
  function forgetOld(now: Instant): void {
    for (const [id, { at }] of known) if (Math.abs(now - at) >= LEARN_EVERY_MS) known.delete(id);
  }

  return async (round) => {
    const { db, clock } = round;
    forgetOld(clock.now());
    const { lease, jobs } = await leaseEnrichment(db, "relevance", { most: BATCH, leaseMs: LEASE_MS });
    if (jobs.length === 0) return { jobs: 0, pauseMs: 0 };
    const byQuery = groupBy(await readWaiting(round, jobs), ({ job }) => job.queryId);
    for (const [id, waiting] of byQuery) {
      const name = String(waiting[0]?.mention.fields["queryName"] ?? "");
      const learned = await learnedOf(round, { id, name });
      if (learned.outcome !== "Better") continue;
      const answers = new Map(
        waiting.map(({ text }) => [text, { answer: learned.scoreOf(text), by: "people" }] as const),
      );
      await store(round, lease, { waiting, changes: relevanceChanges }, answers);
    }
    await finishEnrichment(db, lease, jobs);
    return { jobs: jobs.length, pauseMs: 0 };
  };
}

function report(log: Round["log"], query: string, learned: LearnedRelevance): void {
  if (learned.outcome === "TooFew") return;
  const { outcome, judged } = learned;
  const [precision, recall, without] = [learned.precision, learned.recall, learned.without].map(
    (part) => Math.round(100 * part) / 100,
  );
  log.info(
    { query, judged, precision, recall, precisionWithout: without },
    outcome === "Better"
      ? "relevance is scored by what people said of the alerts of this query"
      : "too little is known from the alerts of this query to judge what is relevant",
  );
}
