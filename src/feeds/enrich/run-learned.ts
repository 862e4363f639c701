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

const BATCH = 100;
const LEASE_MS = 2 * MINUTE;
/** How long what was learnt is used before people's newer judgements, and deletes, are read. */
const LEARN_EVERY_MS = MINUTE;
const MOST_JUDGED = 120;

/** Scores waiting mentions by what people said of others of their query, where that was tested to help. */
export function createLearner(
  judgedOf: ReadJudged,
): (round: Omit<Round, "notRelevant">) => Promise<RoundResult> {
  const known = new Map<
    number,
    { readonly at: Instant; readonly texts: string; readonly learned: LearnedRelevance }
  >();

  async function learnedOf(round: Pick<Round, "clock" | "log">, query: { id: number; name: string }) {
    const before = known.get(query.id);
    const at = round.clock.now();
    if (before !== undefined && at - before.at < LEARN_EVERY_MS) return before.learned;
    const judged = await judgedOf(query, MOST_JUDGED);
    const texts = JSON.stringify(judged);
    if (before?.texts === texts) {
      known.set(query.id, { ...before, at });
      return before.learned;
    }
    const learned = learnRelevance(judged);
    known.set(query.id, { at, texts, learned });
    if (learned.outcome !== before?.learned.outcome || learned.outcome === "Better")
      report(round.log, query.name, learned);
    return learned;
  }

  return async (round) => {
    const { db } = round;
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
      : "what people said of the alerts of this query does not tell yet what is relevant",
  );
}
