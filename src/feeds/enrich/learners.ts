import {
  type CategoryJudgement,
  categoryJudgement,
  type Database,
  type EnrichmentKind,
  listCategories,
  type MentionChanges,
  projectsOfQueries,
  readAnalysedSentiments,
  readCorrectedCategories,
  readJudgedCategories,
  textForAnalyser,
  withCategoryJudgements,
} from "#listening-api";
import type { Instant } from "../../lib/instant.ts";
import { type LabelledText, type LearnedLabels, learnLabels } from "./learned-labels.ts";
import { type JudgedText, learnRelevance } from "./learned-relevance.ts";
import {
  type AnswerBy,
  categoryChanges,
  type Question,
  relevanceChanges,
  sentimentChanges,
  type Waiting,
} from "./run-round.ts";
import { loadSentiment } from "./sentiment/load-sentiment.ts";
import { SENTIMENTS, type Sentiment } from "./sentiment/model-file.ts";

/** What was learnt for a query, in numbers. */
export interface LearnedFigures {
  readonly outcome: "TooFew" | "NotBetter" | "Better";
  /** Texts that people judged. */
  readonly judged: number;
  /** From 0 to 1, of texts that were not learnt from; null: too few were judged for a test. */
  readonly precision: number | null;
  readonly recall: number | null;
  /** The precision without it; null: see above. */
  readonly without: number | null;
  /** Of a category: which, with its parent. */
  readonly category?: string;
}

export interface LearnedQuery {
  /** One; of categories one for each that people corrected, if they did. */
  readonly figures: readonly LearnedFigures[];
  /** What it says of a mention; null: nothing. */
  readonly answerOf: (waiting: Waiting) => AnswerBy | null;
}

interface Query {
  readonly id: number;
  readonly name: string;
}

/** Learns one thing from what people said of the mentions of a query. */
export interface Learner {
  readonly kind: EnrichmentKind;
  /** Nothing that it reads is kept: a text that is deleted or forgotten teaches nothing the next time. */
  learn(db: Database, query: Query, now: Instant): Promise<LearnedQuery>;
  readonly changes: Question["changes"];
}

/** At most so many texts of a query that people judged, the newest first. Read anew: a deleted one teaches nothing. */
export type ReadJudged = (query: Query, most: number) => Promise<readonly JudgedText[]>;

const MOST_JUDGED = 120;
/** Who says what was learnt. */
const PEOPLE = "people";

/** Relevance, from what people did with alerts. */
export function relevanceLearner(judgedOf: ReadJudged): Learner {
  return {
    kind: "relevance",
    changes: relevanceChanges,
    async learn(_db, query) {
      const learned = await learnRelevance(await judgedOf(query, MOST_JUDGED));
      if (learned.outcome === "TooFew") return nothing(learned.relevant + learned.others);
      const { outcome, judged, precision, recall, without } = learned;
      const figures = { outcome, judged, precision, recall, without };
      const scoreOf = outcome === "Better" ? learned.scoreOf : null;
      return {
        figures: [figures],
        answerOf: ({ text }) => (scoreOf === null ? null : { answer: scoreOf(text), by: PEOPLE }),
      };
    },
  };
}

/** Sentiment, from the sentiments of mentions that people corrected. */
export function sentimentLearner(): Learner {
  return {
    kind: "sentiment",
    changes: sentimentChanges,
    async learn(db, { id }, now) {
      const judge = await loadSentiment();
      const before = (text: string, language: unknown): Sentiment | null =>
        judge(text, typeof language === "string" ? language : null)?.sentiment ?? null;
      const analysed = await readAnalysedSentiments(db, id, MOST_JUDGED, now);
      const judged = analysed.flatMap(({ mention, isCorrected }): LabelledText<Sentiment>[] => {
        const text = textForAnalyser(mention);
        const known = SENTIMENTS.find((one) => one === mention.fields["sentiment"]);
        const own = before(text, mention.fields["language"]);
        // An older model said something else of it: nobody has seen what this one says.
        if (known === undefined || own === null || (!isCorrected && own !== known)) return [];
        return [{ text, label: known, before: own, isCorrected }];
      });
      const learned = await learnLabels(judged);
      if (learned.outcome === "TooFew") return nothing(learned.judged);
      const { outcome, precision, recall } = learned;
      const figures = { outcome, judged: learned.judged, precision, recall, without: 0 };
      const change = outcome === "Better" ? learned.change : null;
      return {
        figures: [figures],
        answerOf: ({ text, mention }) => {
          const own = before(text, mention.fields["language"]);
          const found = own === null ? null : (change?.(text, own) ?? null);
          if (found === null) return null;
          return { answer: found.label, by: PEOPLE, confidence: rounded(precision), reason: found.reason };
        },
      };
    },
  };
}

/** Categories, from those that people corrected: each by itself, against what its rules give. */
export function categoryLearner(): Learner {
  return {
    kind: "category",
    changes: categoryChanges,
    async learn(db, { id: queryId }, now) {
      const known = await categoriesOf(db, queryId);
      const figures: LearnedFigures[] = [];
      const acting: ActingCategory[] = [];
      for (const categoryId of await readCorrectedCategories(db, queryId)) {
        const category = known.get(categoryId);
        if (category === undefined) continue;
        const judged = await readJudgedCategories(db, { queryId, categoryId }, MOST_JUDGED, now);
        const learned = await learnLabels(judged.flatMap(labelledByCategory));
        const tested = { precision: null, recall: null, without: null, ...learned };
        const { outcome, precision, recall } = tested;
        const without = outcome === "TooFew" ? null : 0;
        const named = `${category.parentName}: ${category.name}`;
        figures.push({ outcome, judged: learned.judged, precision, recall, without, category: named });
        if (learned.outcome === "Better") acting.push({ ...category, ...learned });
      }
      if (figures.length === 0) return nothing(0);
      return {
        figures,
        answerOf: ({ text }) => {
          if (acting.length === 0) return null;
          const answer = { changesOf: (fields: Fields) => changesOfCategories(text, fields, acting) };
          return { answer, by: PEOPLE };
        },
      };
    },
  };
}

type Membership = "in" | "out";
type Fields = Readonly<Record<string, unknown>>;
type Category = MentionChanges["addCategories"][number] & { readonly isExclusive: boolean };
type ActingCategory = Category & Extract<LearnedLabels<Membership>, { outcome: "Better" }>;

async function categoriesOf(db: Database, queryId: number): Promise<ReadonlyMap<number, Category>> {
  const [projectId] = await projectsOfQueries(db, [queryId]);
  const parents = projectId === undefined ? [] : await listCategories(db, projectId);
  return new Map(
    parents.flatMap(({ id: parent, name: parentName, multiple, children }) =>
      children.map(({ id, name }) => {
        const detail = { id: String(id), name, parentId: String(parent), parentName };
        return [id, { ...detail, isExclusive: !multiple }] as const;
      }),
    ),
  );
}

/** Who corrected a category found the other one. */
function labelledByCategory({
  mention,
  isIn,
  isCorrected,
}: Awaited<ReturnType<typeof readJudgedCategories>>[number]): LabelledText<Membership>[] {
  const text = textForAnalyser(mention);
  const label = isIn ? "in" : "out";
  return text === "" ? [] : [{ text, label, before: isCorrected ? other(label) : label, isCorrected }];
}

function other(label: Membership): Membership {
  return label === "in" ? "out" : "in";
}

/** What a person said stays, and one category takes the place of no other that excludes it. */
function changesOfCategories(
  text: string,
  fields: Fields,
  acting: readonly ActingCategory[],
): Partial<MentionChanges> {
  const has = new Set((fields["categories"] ?? []) as readonly number[]);
  const judgements: CategoryJudgement[] = [];
  const gone: number[] = [];
  const found = acting.flatMap((category) => {
    const id = Number(category.id);
    const judgement = categoryJudgement(fields, id);
    if (judgement?.by === "people") return [];
    const now = has.has(id) ? "in" : "out";
    // What was learned before is no rule's.
    const before = judgement === null ? now : other(judgement.isIn ? "in" : "out");
    const changed = category.change(text, before);
    return [{ category, id, now, target: changed?.label ?? before, reason: changed?.reason }];
  });
  const removed = found.filter(({ now, target }) => now === "in" && target === "out");
  for (const { id } of removed) has.delete(id);
  const parents = ((fields["categoryDetails"] ?? []) as readonly Category[])
    .filter(({ id }) => has.has(Number(id)))
    .map(({ parentId }) => parentId);
  const added = found.filter(({ category, now, target }) => {
    if (now === "in" || target === "out") return false;
    if (category.isExclusive && parents.includes(category.parentId)) return false;
    parents.push(category.parentId);
    return true;
  });
  for (const { id, target, reason, category } of [...removed, ...added]) {
    if (reason === undefined) gone.push(id);
    else
      judgements.push({
        ...{ id, isIn: target === "in", by: "learned", reason },
        confidence: rounded(category.precision),
      });
  }
  return {
    addCategories: added.map(({ category: { id, name, parentId, parentName } }) => ({
      ...{ id, name, parentId, parentName },
    })),
    removeCategories: removed.map(({ id }) => id),
    ...(judgements.length + gone.length > 0 && { fields: withCategoryJudgements(fields, judgements, gone) }),
  };
}

function nothing(judged: number): LearnedQuery {
  return {
    figures: [{ outcome: "TooFew", judged, precision: null, recall: null, without: null }],
    answerOf: () => null,
  };
}

function rounded(part: number): number {
  return Math.round(100 * part) / 100;
}
