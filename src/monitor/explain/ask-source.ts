import { describeError } from "../../lib/errors.ts";
import { groupBy } from "../../lib/group-by.ts";
import { type Instant, inUtc } from "../../lib/instant.ts";
import type { Mention } from "../model/mention.ts";
import { sourceOfProject } from "../model/query.ts";
import type { ShownPoll } from "../model/shown.ts";
import { describeMiss } from "../rules/miss.ts";
import type { Rule } from "../rules/rule.ts";
import type { ExplainedQuery } from "../source/calls/explain-queries.ts";
import { SourceError } from "../source/source-error.ts";
import type { AskedSource, WhyParts } from "./why.ts";
import { type SourceFacts, type UnreadFacts, type UnreadOutcome, whyUnread } from "./why-unread.ts";

/** One query, and why a mention is not stored for it. */
interface UnreadWhy {
  readonly projectId: string;
  readonly queryId: string;
  readonly queryName: string;
  readonly outcome: UnreadOutcome;
  /** A sentence without its full stop. */
  readonly because: string;
  /** The part of the query text that failed; null where it is about something else. */
  readonly part: string | null;
}

/** What is known of a mention that is not stored. */
export interface UnreadMention {
  readonly asked: string;
  readonly queries: readonly UnreadWhy[];
  /** Fields that the source withholds by its policy: rules cannot search in them. */
  readonly withheld: readonly string[];
  /** What the rules on single mentions make of it, if the source shows it; else null. */
  readonly rules: readonly TextVerdict[] | null;
}

/** What one rule makes of a mention that is not stored, or of a text. */
export interface TextVerdict {
  readonly rule: string;
  readonly kind: Rule["kind"];
  readonly met: boolean;
  readonly because: string;
}

/** Each costs a call where the source cannot answer for all queries at once. */
const MOST_QUERIES = 20;

/** Explains for every watched query why a mention is not stored. Asks the source, if there is one to ask. */
export async function whyUnreadMention(parts: WhyParts, text: string): Promise<UnreadMention> {
  const { stores, moment = inUtc } = parts;
  const polls = (await pollsOf(parts)).filter(({ poll }) => poll === "added");
  const subject = /^[a-z]+:\/\//i.test(text) ? { url: text } : { resourceId: text };
  const answers = await askSources(parts.source, polls, subject);
  const mention = answers.mention;
  const letters = (await stores.deadLetters.open(LETTERS)).filter(({ resourceId }) => resourceId === text);
  const tombstones = await stores.forgotten.tombstonesOf(text);
  const queries = polls.map((poll) => {
    const letter = letters.find(({ queryId }) => queryId === poll.queryId);
    const deleted = tombstones.find((one) => keyOf(one) === keyOf(poll)) ?? null;
    return describePoll(
      poll,
      answers.of(poll),
      { deadLetter: letter?.reason ?? null, deleted },
      parts,
      moment,
    );
  });
  return {
    asked: text,
    queries,
    withheld: answers.withheld,
    rules: mention === null || mention.isDeleted === true ? null : mentionRules(parts.rules, mention),
  };
}

const LETTERS = 1_000;

/** Without sums over what they found: of thousands of queries those take long, and nobody asks for them here. */
function pollsOf({ facts, now }: WhyParts): Promise<readonly ShownPoll[]> {
  return facts.coverage(now?.() ?? 0);
}

/** A text that somebody gives: which queries would have it, and which rules on single mentions it meets. */
export async function whyText(
  parts: WhyParts,
  text: string,
  queryName: string | null,
): Promise<UnreadMention> {
  const { source, rules } = parts;
  const polls = (await pollsOf(parts)).filter(({ poll }) => poll === "added");
  const named = polls.filter((poll) => queryName === null || isNamed(poll, queryName));
  const answers = await askSources(source, named, { text });
  const queries = named.map((poll): UnreadWhy => {
    const { queries, unknownBecause } = answers.of(poll);
    const found = queries.get(keyOf(poll));
    const base = { projectId: poll.projectId, queryId: poll.queryId, queryName: poll.queryName };
    if (found === undefined)
      return {
        ...base,
        outcome: "SourceCannotSay",
        because: unknownBecause ?? "the source does not know this query",
        part: null,
      };
    if (found.outcome === "Matches" || found.outcome === "InQuery")
      return { ...base, outcome: "NotYetPolled", because: "the query finds this text", part: null };
    return { ...base, outcome: "NotInQuery", because: trimmed(found.message), part: found.part };
  });
  return { asked: text, queries, withheld: [], rules: mentionRules(rules, aMentionOf(text)) };
}

interface SourceAnswer {
  readonly queries: ReadonlyMap<string, ExplainedQuery>;
  readonly withheld: readonly string[];
  readonly mention: Mention | null;
  /** As a sentence; null if it answered. */
  readonly unknownBecause: string | null;
}

type AskedSubject = { readonly resourceId?: string; readonly url?: string; readonly text?: string };

/** Each project is asked for at the source that it is of. */
export function askEach(sourceOf: (projectId: string) => AskedSource): AskedSource {
  return {
    explainQueries: async (params, options) => sourceOf(params.projectId).explainQueries(params, options),
    findMention: async (params, options) => sourceOf(params.projectId).findMention(params, options),
  };
}

/** What each source says of its own queries: one of them may be away, or not explain. */
async function askSources(
  source: AskedSource | undefined,
  polls: readonly ShownPoll[],
  subject: AskedSubject,
) {
  const answers = new Map<string, SourceAnswer>();
  for (const [name, ofSource] of groupBy(polls, ({ projectId }) => sourceOfProject(projectId)))
    answers.set(name, await askSource(source, ofSource, subject));
  const all = [...answers.values()];
  return {
    of: ({ projectId }: ShownPoll): SourceAnswer => answers.get(sourceOfProject(projectId)) ?? NOT_ASKED,
    mention: all.find(({ mention }) => mention !== null)?.mention ?? null,
    withheld: [...new Set(all.flatMap(({ withheld }) => withheld))],
  };
}

const NOT_ASKED: SourceAnswer = {
  ...{ queries: new Map(), withheld: [], mention: null },
  unknownBecause: "The source was not asked",
};

async function askSource(
  source: AskedSource | undefined,
  polls: readonly ShownPoll[],
  subject: AskedSubject,
): Promise<SourceAnswer> {
  const withoutAnswer = (unknownBecause: string): SourceAnswer => ({ ...NOT_ASKED, unknownBecause });
  if (source === undefined) return NOT_ASKED;
  try {
    const queries = new Map<string, ExplainedQuery>();
    const withheld = new Set<string>();
    for (const projectId of new Set(polls.map((poll) => poll.projectId))) {
      const explained = await source.explainQueries({ projectId, ...subject });
      for (const one of explained.queries) queries.set(keyOf({ projectId, queryId: one.queryId }), one);
      for (const field of explained.withheld) withheld.add(field);
    }
    const within = polls.find((poll) => queries.get(keyOf(poll))?.outcome === "InQuery");
    const mention = within === undefined ? null : await findIn(source, within, subject);
    return { queries, withheld: [...withheld], mention, unknownBecause: null };
  } catch (error) {
    if (!isNotFound(error)) return withoutAnswer(`The source could not be asked: ${describeError(error)}`);
  }
  if (subject.text !== undefined)
    return withoutAnswer("The source does not explain its queries: only Earshot's own local API does");
  try {
    for (const poll of polls.slice(0, MOST_QUERIES)) {
      const mention = await findIn(source, poll, subject);
      if (mention !== null)
        return {
          // Those before it do not show it, and those behind it are not asked any more.
          ...withoutAnswer(`The source shows it in the query ${poll.queryName}, and explains no other`),
          queries: new Map([[keyOf(poll), inQuery(poll, mention)]]),
          mention,
        };
    }
    const all =
      polls.length <= MOST_QUERIES ? "the watched queries" : `the first ${MOST_QUERIES} watched queries`;
    return withoutAnswer(`The source shows it in none of ${all}, and does not say why`);
  } catch (error) {
    return withoutAnswer(`The source could not be asked: ${describeError(error)}`);
  }
}

async function findIn(
  source: AskedSource,
  { projectId, queryId }: ShownPoll,
  subject: AskedSubject,
): Promise<Mention | null> {
  try {
    return await source.findMention({ projectId, queryId, ...subject });
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

function inQuery({ queryId, queryName: name }: ShownPoll, { addedAt }: Mention): ExplainedQuery {
  return { queryId, name, outcome: "InQuery", message: "", addedAt, visibleAt: null, part: null };
}

function describePoll(
  poll: ShownPoll,
  answer: SourceAnswer,
  stored: Pick<UnreadFacts, "deadLetter" | "deleted">,
  { now, keptFrom = Number.NEGATIVE_INFINITY, historyMs }: WhyParts,
  moment: (at: Instant) => string,
): UnreadWhy {
  const found = answer.queries.get(keyOf(poll));
  const { completeUntil, nextPollAt, active: isWatched } = poll;
  const { outcome, text } = whyUnread(
    {
      ...stored,
      ...{ isWatched, completeUntil, nextPollAt, keptFrom },
      now: now?.() ?? nextPollAt,
      source: found === undefined ? null : sourceFacts(found, answer.mention),
      unknownBecause: answer.unknownBecause ?? "The source does not know this query",
      historyFrom:
        historyMs === undefined || poll.watchFrom === null
          ? null
          : poll.watchFrom - historyMs(poll.projectId),
      gap:
        poll.gapFrom === null || poll.gap === 0
          ? null
          : { from: poll.gapFrom, missing: poll.gap, nextAt: poll.gapNextAt },
    },
    moment,
  );
  const { projectId, queryId, queryName } = poll;
  return {
    projectId,
    queryId,
    queryName,
    outcome,
    because: text,
    part: outcome === "NotInQuery" ? (found?.part ?? null) : null,
  };
}

function sourceFacts(
  { outcome, message, addedAt, visibleAt, part }: ExplainedQuery,
  mention: Mention | null,
): SourceFacts {
  switch (outcome) {
    case "InQuery":
      return { outcome, addedAt, publishedAt: mention?.publishedAt ?? null };
    case "Delayed":
      return visibleAt === null ? { outcome: "InQuery", addedAt, publishedAt: null } : { outcome, visibleAt };
    case "Unknown":
      return { outcome };
    case "Matches":
      return {
        outcome: "NotInQuery",
        because:
          "its text fits the query, but the source did not put it there: queries look at what arrives after they were made",
        part,
      };
    default:
      return { outcome: "NotInQuery", because: trimmed(message), part };
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof SourceError && (error.kind === "not-found" || error.kind === "rejected");
}

function mentionRules(rules: readonly Rule[], mention: Mention): TextVerdict[] {
  return rules.map(({ name, kind, when, judge }) => {
    const verdict = judge(mention);
    const because = verdict.met ? verdict.because : describeMiss(when.miss(mention));
    return { rule: name, kind, met: verdict.met, because };
  });
}

/** Nothing is known of a text but itself. */
function aMentionOf(text: string): Mention {
  const unknown = {
    publishedAt: null,
    title: null,
    url: null,
    domain: null,
    language: null,
    pageType: null,
    author: null,
    ...{ authorName: null, verified: null, followers: null, reach: null, impact: null, impressions: null },
    ...{ country: null, countryCode: null, sentiment: null, reposts: null, repostOf: null },
  };
  return {
    ...unknown,
    queryId: "",
    resourceId: "",
    addedAt: 0,
    updatedAt: 0,
    text,
    categories: [],
    tags: [],
    hashtags: [],
  };
}

function isNamed({ queryId, queryName }: ShownPoll, name: string): boolean {
  return queryId === name || queryName.toLowerCase() === name.toLowerCase();
}

function keyOf({ projectId, queryId }: { readonly projectId: string; readonly queryId: string }): string {
  return `${projectId} ${queryId}`;
}

function trimmed(message: string): string {
  return message.replace(/\.$/, "");
}
