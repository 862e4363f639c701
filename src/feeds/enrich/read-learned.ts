import { type Database, listQueries } from "#listening-api";
import type { Instant } from "../../lib/instant.ts";
import type { EnrichConfig } from "./enrich-config.ts";
import {
  categoryLearner,
  type LearnedFigures,
  type ReadJudged,
  relevanceLearner,
  sentimentLearner,
} from "./learners.ts";

/** What people have taught of a query: in numbers, and whether it is used. */
interface LearnedRow extends LearnedFigures {
  readonly query: string;
  readonly what: "relevance" | "sentiment" | "category";
}

/** Whether anything is learnt with this configuration. */
export function learns({ relevance, sentiment, categories }: EnrichConfig): boolean {
  return [relevance, sentiment, categories].includes("learned");
}

/** Learns anew for each query of the project, and gives the figures. A tenth of a second for each. */
export async function readLearned(
  db: Database,
  projectId: number,
  {
    config,
    judged,
    now,
  }: { readonly config: EnrichConfig; readonly judged: ReadJudged; readonly now: Instant },
): Promise<readonly LearnedRow[]> {
  const learners = [
    ...(config.relevance === "learned" ? [relevanceLearner(judged)] : []),
    ...(config.sentiment === "learned" ? [sentimentLearner()] : []),
    ...(config.categories === "learned" ? [categoryLearner()] : []),
  ];
  const rows: LearnedRow[] = [];
  for (const { id, name } of learners.length === 0 ? [] : await listQueries(db, projectId))
    for (const learner of learners) {
      const { figures } = await learner.learn(db, { id, name }, now);
      for (const one of figures) rows.push({ query: name, what: learner.kind, ...one });
    }
  return rows;
}

/** Relevance, sentiment, or which category. */
export function nameLearned({ what, category }: LearnedRow): string {
  return category === undefined ? what : `${what} ${category}`;
}

/** In a sentence, for people. */
export function describeLearned({ what, outcome, judged, precision, recall, without }: LearnedRow): string {
  const percent = (part: number | null) => `${Math.round(100 * (part ?? 0))} %`;
  if (outcome === "TooFew")
    return what === "relevance"
      ? `too few judged alerts (${judged}): it begins with eight that are relevant and eight that are not`
      : `too few corrected mentions (${judged}): it begins with eight`;
  const tested =
    what === "relevance"
      ? `of ${judged} judged texts, ${percent(precision)} of those that it calls relevant are (${percent(without)} without it), and it finds ${percent(recall)}`
      : `of ${judged} corrected texts it gets ${percent(recall)} right, and ${percent(precision)} of its changes are right`;
  return outcome === "Better"
    ? `it acts: ${tested}`
    : `it does not act, as it would do too little good: ${tested}`;
}
