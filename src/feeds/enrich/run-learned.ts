import { finishEnrichment, leaseEnrichment } from "#listening-api";
import { groupBy } from "../../lib/group-by.ts";
import { type Instant, MINUTE } from "../../lib/instant.ts";
import type { LearnedFigures, LearnedQuery, Learner } from "./learners.ts";
import { type Round, type RoundResult, readWaiting, store } from "./run-round.ts";

type LearnerRound = Omit<Round, "notRelevant">;

const BATCH = 100;
const LEASE_MS = 2 * MINUTE;
/** How long what was learnt is used before newer judgements, and deletes, are read. */
const LEARN_EVERY_MS = MINUTE;

/** Judges waiting mentions by what people said of others of their query, where that was tested to help. */
export function createLearner(learner: Learner): (round: LearnerRound) => Promise<RoundResult> {
  const known = new Map<number, { readonly at: Instant; readonly learned: LearnedQuery }>();
  const reported = new Map<number, string>();

  async function learnedOf({ db, clock, log }: LearnerRound, query: { id: number; name: string }) {
    const before = known.get(query.id);
    if (before !== undefined) return before.learned;
    const learned = await learner.learn(db, query, clock.now());
    known.set(query.id, { at: clock.now(), learned });
    const figures = JSON.stringify(learned.figures);
    if (reported.get(query.id) !== figures)
      for (const one of learned.figures) report(log, query.name, learner.kind, one);
    reported.set(query.id, figures);
    return learned;
  }

  /** What was learnt consists of people's words: it is kept for a minute, whether somebody needs it or not. */
  function forgetOld(now: Instant): void {
    for (const [id, { at }] of known) if (Math.abs(now - at) >= LEARN_EVERY_MS) known.delete(id);
  }

  return async (round) => {
    const { db, clock } = round;
    forgetOld(clock.now());
    const { lease, jobs } = await leaseEnrichment(db, learner.kind, { most: BATCH, leaseMs: LEASE_MS });
    if (jobs.length === 0) return { jobs: 0, pauseMs: 0 };
    const byQuery = groupBy(await readWaiting(round, jobs), ({ job }) => job.queryId);
    for (const [id, waiting] of byQuery) {
      const name = String(waiting[0]?.mention.fields["queryName"] ?? "");
      const { answerOf } = await learnedOf(round, { id, name });
      const answers = new Map(
        waiting.flatMap((one) => {
          const answer = answerOf(one);
          return answer === null ? [] : [[one.text, answer] as const];
        }),
      );
      await store(round, lease, { waiting, changes: learner.changes }, answers);
    }
    await finishEnrichment(db, lease, jobs);
    return { jobs: jobs.length, pauseMs: 0 };
  };
}

function report(log: Round["log"], query: string, kind: Learner["kind"], figures: LearnedFigures): void {
  if (figures.outcome === "TooFew") return;
  const [precision, recall, without] = [figures.precision, figures.recall, figures.without].map(
    (part) => Math.round(100 * (part ?? 0)) / 100,
  );
  const { judged, category } = figures;
  log.info(
    {
      query,
      ...(category !== undefined && { category }),
      judged,
      precision,
      recall,
      precisionWithout: without,
    },
    figures.outcome === "Better"
      ? `${kind} is judged by what people said of mentions of this query`
      : `too little is known from what people said of mentions of this query to judge their ${kind}`,
  );
}
