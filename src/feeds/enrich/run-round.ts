import { randomBytes } from "node:crypto";
import { z } from "zod";
import {
  askedHash,
  beginWriting,
  type CurrentMention,
  type Database,
  type EnrichmentJob,
  type EnrichmentKind,
  editMentions,
  finishEnrichment,
  judgeable,
  LOCAL,
  type LocalApiLog,
  leaseEnrichment,
  type MentionChanges,
  postponeEnrichment,
  projectsOfQueries,
  putAnswers,
  type Relevance,
  readAbouts,
  readAnswers,
  readCurrentMentions,
  stillLeased,
  takeCall,
  textForAnalyser,
  withRelevance,
  withSentiment,
} from "#listening-api";
import { type Clock, monotonicMs } from "../../lib/clock.ts";
import { MINUTE } from "../../lib/instant.ts";
import type { JsonValue } from "../../lib/json.ts";
import { retryDelayMs } from "../../lib/retry.ts";
import type { ChatEndpoint } from "./chat-endpoint.ts";
import type { EndpointConfig } from "./enrich-config.ts";
import {
  type MarkedText,
  type Prompt,
  RELEVANCE_VERSION,
  relevancePrompt,
  SENTIMENT_VERSION,
  sentimentPrompt,
} from "./prompts.ts";
import { readRelevances, readSentiments } from "./read-answers.ts";
import { loadSentiment } from "./sentiment/load-sentiment.ts";
import { SENTIMENTS, type Sentiment } from "./sentiment/model-file.ts";

/** An endpoint for one kind of question. */
export interface Analyser {
  readonly kind: EnrichmentKind;
  readonly config: EndpointConfig;
  readonly endpoint: ChatEndpoint;
  /** Until then (`monotonicMs`) it is not asked: it said that it will never answer. */
  refusedUntil: number;
}

export interface Round {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: LocalApiLog;
  readonly signal: AbortSignal;
  /** At most so many texts of a query that people called not relevant, the newest first. */
  readonly notRelevant: (
    query: { readonly id: number; readonly name: string },
    most: number,
  ) => Promise<readonly string[]>;
}

/** Jobs that were worked on, and how long to wait before the next round. */
export interface RoundResult {
  readonly jobs: number;
  readonly pauseMs: number;
}

/** A worker that died gives its jobs back after this, on top of the time a call may take. */
const LEASE_MS = 2 * MINUTE;
/** How long nobody is asked after a refused call or a spent budget. */
const REFUSED_MS = 5 * MINUTE;
const MOST_EXAMPLES = 8;

/** Leases some jobs, asks about them, and stores the answers. No lock is held while the endpoint thinks. */
export async function runRound(round: Round, analyser: Analyser): Promise<RoundResult> {
  const { db } = round;
  const { config, kind } = analyser;
  const leased = await leaseEnrichment(db, kind, { most: config.batch, leaseMs: config.timeout + LEASE_MS });
  if (leased.jobs.length === 0) return { jobs: 0, pauseMs: 0 };
  const waiting = await readWaiting(round, leased.jobs);
  const questions = await questionsOf(round, analyser, waiting);
  const jobs = new Set(questions.flatMap((question) => question.waiting.map(({ job }) => job)));
  await finishEnrichment(
    db,
    leased.lease,
    leased.jobs.filter((job) => !jobs.has(job)),
  );
  let pauseMs = 0;
  for (const question of questions) {
    const result = await answer(round, analyser, leased.lease, question);
    await store(round, leased.lease, question, result.answers);
    pauseMs = Math.max(pauseMs, await giveBack(round, analyser, leased.lease, question, result));
  }
  return { jobs: leased.jobs.length, pauseMs };
}

export interface Waiting {
  readonly job: EnrichmentJob;
  readonly mention: CurrentMention;
  readonly text: string;
}

/** Mentions that are gone, have no text, or whose sentiment a person has said, wait no longer. */
export async function readWaiting(
  { db, clock }: Pick<Round, "db" | "clock">,
  jobs: readonly EnrichmentJob[],
): Promise<Waiting[]> {
  const mentions = await readCurrentMentions(db, jobs, clock.now());
  const byKey = new Map(mentions.map((mention) => [`${mention.queryId} ${mention.resourceId}`, mention]));
  return jobs.flatMap((job) => {
    const mention = byKey.get(`${job.queryId} ${job.resourceId}`);
    const text = mention === undefined ? "" : textForAnalyser(mention);
    if (mention === undefined || text === "") return [];
    if (job.kind === "sentiment" && !judgeable(mention.fields)) return [];
    return [{ job, mention, text }];
  });
}

type Answer = Sentiment | Relevance;
/** Categories depend on those that the mention has. */
interface CategoryAnswer {
  readonly changesOf: (fields: CurrentMention["fields"]) => Partial<MentionChanges>;
}

/** Mentions that can be asked about in one call, because the instructions are the same. */
export interface Question {
  readonly asked: Buffer;
  readonly waiting: readonly Waiting[];
  prompt(texts: readonly MarkedText[]): Prompt;
  read(content: string, marks: readonly string[]): ReadonlyMap<string, Answer>;
  /** Of an answer that is stored. */
  readonly schema: z.ZodType<Answer>;
  changes(mention: Pick<CurrentMention, "fields">, answer: AnswerBy): Partial<MentionChanges>;
}

export const relevanceChanges: Question["changes"] = ({ fields }, { answer }) =>
  typeof answer === "object" && "score" in answer ? { fields: withRelevance(fields, answer) } : {};

export const categoryChanges: Question["changes"] = ({ fields }, { answer }) =>
  typeof answer === "object" && "changesOf" in answer ? answer.changesOf(fields) : {};

export const sentimentChanges: Question["changes"] = ({ fields }, { answer, by, confidence, reason }) => {
  if (typeof answer !== "string" || !judgeable(fields)) return {};
  const { sentiment, ...others } = withSentiment(fields, answer, by, confidence, reason);
  return { ...(sentiment !== null && { sentiment }), fields: others };
};

const StoredSentiment = z.enum(SENTIMENTS);
const StoredRelevance = z.object({ score: z.number().min(0).max(1), reason: z.string() });

async function questionsOf(
  { db, notRelevant }: Round,
  { kind, config }: Analyser,
  waiting: readonly Waiting[],
): Promise<readonly Question[]> {
  if (waiting.length === 0) return [];
  if (kind === "sentiment")
    return [
      {
        asked: askedHash(SENTIMENT_VERSION, config.endpoint, config.model),
        waiting,
        prompt: sentimentPrompt,
        read: readSentiments,
        schema: StoredSentiment,
        changes: sentimentChanges,
      },
    ];
  const abouts = await readAbouts(
    db,
    waiting.map(({ job }) => job.queryId),
  );
  const questions: Question[] = [];
  for (const [queryId, about] of abouts) {
    const own = waiting.filter(({ job }) => job.queryId === queryId);
    const name = String(own[0]?.mention.fields["queryName"] ?? "");
    const examples = await notRelevant({ id: queryId, name }, MOST_EXAMPLES);
    const meaning = { about, notRelevant: examples };
    questions.push({
      asked: askedHash(RELEVANCE_VERSION, config.endpoint, config.model, about, ...examples),
      waiting: own,
      prompt: (texts) => relevancePrompt(meaning, texts),
      read: readRelevances,
      schema: StoredRelevance,
      changes: relevanceChanges,
    });
  }
  return questions;
}

interface RoundAnswers {
  readonly answers: Answers;
  readonly failure: Failure | null;
}

export interface AnswerBy {
  readonly answer: Answer | CategoryAnswer;
  readonly by: string;
  /** Of a sentiment, where the analyser gives one. */
  readonly reason?: string;
  /** From 0 to 1, where the analyser says it. */
  readonly confidence?: number;
}
/** By text. */
type Answers = ReadonlyMap<string, AnswerBy>;

/** Why texts have no answer. */
type Failure =
  /** It answered, and not what it was asked: other texts may fare better at once. */
  | { readonly kind: "unusable" }
  /** It does not answer; `retryAfterMs` if it said until when. */
  | { readonly kind: "down"; readonly retryAfterMs?: number }
  /** Nobody was asked: the calls of the day are spent, or the endpoint refuses all of them. */
  | { readonly kind: "not-asked" };

/** Answers from earlier calls, and from one call about the other texts. */
async function answer(
  round: Round,
  analyser: Analyser,
  lease: string,
  question: Question,
): Promise<RoundAnswers> {
  const { db, log, signal } = round;
  const { config, endpoint, kind } = analyser;
  const texts = [...new Set(question.waiting.map(({ text }) => text))];
  const answers = new Map<string, AnswerBy>();
  for (const [text, stored] of await readAnswers(db, question.asked, texts)) {
    const known = question.schema.safeParse(stored);
    if (known.success) answers.set(text, { answer: known.data, by: config.model });
  }
  const open = texts.filter((text) => !answers.has(text));
  if (open.length === 0) return { answers, failure: null };
  if (analyser.refusedUntil > monotonicMs()) return { answers, failure: { kind: "not-asked" } };
  if (!(await takeCall(db, `${kind} ${config.endpoint} ${config.model}`, config.callsPerDay)))
    return { answers, failure: { kind: "not-asked" } };

  const marked = open.map((text) => ({ mark: randomBytes(5).toString("hex"), text }));
  const outcome = await endpoint.ask(question.prompt(marked), signal);
  if (outcome.kind === "refused") {
    analyser.refusedUntil = monotonicMs() + REFUSED_MS;
    log.warn(
      { kind, reason: outcome.reason },
      "the endpoint refuses to judge texts; check endpoint, model and apiKey",
    );
    return { answers, failure: { kind: "not-asked" } };
  }
  if (outcome.kind === "failed") {
    if (!signal.aborted) log.warn({ kind, reason: outcome.reason }, "the endpoint that judges texts failed");
    const { retryAfterMs } = outcome;
    return { answers, failure: { kind: "down", ...(retryAfterMs !== undefined && { retryAfterMs }) } };
  }
  const found = question.read(
    outcome.content,
    marked.map(({ mark }) => mark),
  );
  const fresh = new Map<string, JsonValue>();
  for (const { mark, text } of marked) {
    const one = found.get(mark);
    if (one === undefined) continue;
    fresh.set(text, typeof one === "string" ? one : { ...one });
    answers.set(text, { answer: one, by: config.model });
  }
  await keepAnswers(db, lease, question, fresh);
  return { answers, failure: fresh.size === open.length ? null : { kind: "unusable" } };
}

/** Answers to texts of mentions that are still there: what was deleted meanwhile is quoted nowhere. */
async function keepAnswers(
  db: Database,
  lease: string,
  { asked, waiting }: Question,
  fresh: ReadonlyMap<string, JsonValue>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const jobs = waiting.map(({ job }) => job);
    const own = new Set(await stillLeased(transaction, lease, jobs));
    const texts = new Set(waiting.filter(({ job }) => own.has(job)).map(({ text }) => text));
    await putAnswers(transaction, asked, new Map([...fresh].filter(([text]) => texts.has(text))));
  });
}

/** New versions of the mentions, and the end of their jobs, in one transaction. */
export async function store(
  { db, clock }: Pick<Round, "db" | "clock">,
  lease: string,
  question: Pick<Question, "waiting" | "changes">,
  answers: Answers,
): Promise<void> {
  const answered = question.waiting.filter(({ text }) => answers.has(text));
  if (answered.length === 0) return;
  await db.transaction().execute(async (transaction) => {
    const projects = await projectsOfQueries(
      transaction,
      answered.map(({ job }) => job.queryId),
    );
    const at = await beginWriting(transaction, projects, clock.now);
    const own = await stillLeased(
      transaction,
      lease,
      answered.map(({ job }) => job),
    );
    const textOf = new Map(answered.map(({ job, text }) => [`${job.queryId} ${job.resourceId}`, text]));
    const changesOf = (mention: CurrentMention): MentionChanges => {
      const found = answers.get(textOf.get(`${mention.queryId} ${mention.resourceId}`) ?? "");
      const changes = found === undefined ? {} : question.changes(mention, found);
      return { ...NO_CHANGES, ...changes };
    };
    // An answer that changes nothing makes no new version, so that nobody reads the mention again for it.
    const changed = answered.filter(
      ({ job, mention }) => own.includes(job) && isChange(mention, changesOf(mention)),
    );
    await editMentions(
      transaction,
      changed.map(({ job }) => job),
      (mention) => [changesOf(mention)],
      at,
    );
    await finishEnrichment(transaction, lease, own);
  });
}

const NO_CHANGES: MentionChanges = {
  addCategories: [],
  removeCategories: [],
  addTags: [],
  removeTags: [],
  fields: {},
};

function isChange({ fields }: CurrentMention, { sentiment, fields: others }: MentionChanges): boolean {
  if (sentiment !== undefined && sentiment !== fields["sentiment"]) return true;
  return Object.entries(others).some(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(fields[name]),
  );
}

/** What has no answer waits, or the model of this machine answers in its place. Gives how long to wait before the next call. */
async function giveBack(
  round: Round,
  { kind, config }: Analyser,
  lease: string,
  question: Question,
  { answers, failure }: RoundAnswers,
): Promise<number> {
  if (failure === null) return 0;
  const { db, signal } = round;
  const open = question.waiting.filter(({ text }) => !answers.has(text));
  // Stopped in the middle of a call: nobody has failed.
  if (signal.aborted) {
    const jobs = open.map(({ job }) => job);
    await postponeEnrichment(db, lease, jobs, { delayMs: 0, isCounted: false });
    return 0;
  }
  const isAsked = failure.kind !== "not-asked";
  const isGivenUp = ({ job }: Waiting) =>
    isAsked ? job.attempts + 1 >= config.attempts : kind === "sentiment";
  const givenUp = open.filter(isGivenUp);
  const again = open.filter((one) => !isGivenUp(one)).map(({ job }) => job);
  const waitMs = waitAfter(
    failure,
    again.map(({ attempts }) => attempts),
  );
  await postponeEnrichment(db, lease, again, { delayMs: waitMs, isCounted: isAsked });
  if (kind === "sentiment") await judgeHere(round, lease, question, givenUp);
  await finishEnrichment(
    db,
    lease,
    givenUp.map(({ job }) => job),
  );
  return failure.kind === "down" ? waitMs : 0;
}

function waitAfter(failure: Failure, attempts: readonly number[]): number {
  if (failure.kind === "not-asked") return REFUSED_MS;
  const retryAfterMs = failure.kind === "down" ? failure.retryAfterMs : undefined;
  return retryDelayMs(Math.max(0, ...attempts) + 1, retryAfterMs, Math.random());
}

async function judgeHere(
  round: Round,
  lease: string,
  question: Question,
  open: readonly Waiting[],
): Promise<void> {
  if (open.length === 0) return;
  const judge = await loadSentiment();
  const answers = new Map<string, AnswerBy>();
  for (const { text, mention } of open) {
    const { language } = mention.fields;
    const judgement = judge(text, typeof language === "string" ? language : null);
    if (judgement === null) continue;
    const { sentiment, confidence } = judgement;
    answers.set(text, { answer: sentiment, by: LOCAL, confidence });
  }
  await store(round, lease, { ...question, waiting: open }, answers);
}
