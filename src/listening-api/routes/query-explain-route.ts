import type { FastifyInstance, FastifyRequest } from "fastify";
import { collect, yieldingLoop } from "../../lib/concurrency.ts";
import { LONGEST_TEXT } from "../../lib/text.ts";
import { isOfQuery } from "../assign/assign-queries.ts";
import { callerOf } from "../http/authenticate.ts";
import type { LocalApiContext } from "../http/local-api-context.ts";
import { parametersOf, unknownTo } from "../http/unknown-parameters.ts";
import { createBodyReader } from "../parameters/body-reader.ts";
import type { ParameterReader } from "../parameters/parameter-reader.ts";
import { compile } from "../query-language/compile.ts";
import { explainMiss, type QueryMiss } from "../query-language/explain-miss.ts";
import type { KnownFields } from "../query-language/fields/define-field.ts";
import { type Searchable, searchableMention } from "../query-language/search-text.ts";
import {
  DATA_POLICIES,
  type DataPolicy,
  type DataPolicyName,
  dataPolicyOf,
  OPEN_SOURCE,
} from "../records/data-policy.ts";
import { isInSample } from "../records/mention-id.ts";
import { wireTime } from "../records/wire.ts";
import { type FoundInQuery, findInQueries } from "../store/mention-page.ts";
import { listQueries, type StoredQuery } from "../store/queries.ts";
import { findReceivedQuery } from "../store/received-items.ts";
import { type InProject, presentOf, projectOf } from "./project-request.ts";

/** A mention, or a text that somebody gave, as far as it is known. */
interface ExplainSubject {
  readonly known: KnownFields;
  /** Its words, split once for all queries. */
  readonly searchable: Searchable;
  readonly resourceId: string | null;
  readonly inQueries: ReadonlyMap<number, FoundInQuery>;
}

/**
 * GET …/queries/explain: why queries have a mention (`resourceId` or `url`), or a `text` (with `title`, `language`,
 * `pageType`), or do not. An extension of this API: the live service has no such call. One call answers for all queries
 * of the project, so that a client spends one call of its rate limit. POST takes the same in a JSON object, for a text
 * that is too long for an address.
 */
export function queryExplainRoute(app: FastifyInstance, context: LocalApiContext): void {
  app.route<InProject>({
    method: ["GET", "POST"],
    url: "/projects/:projectId/queries/explain",
    bodyLimit: LARGEST_BODY,
    handler: (request) => explain(context, request),
  });
}

/** A text of the greatest length, each character as an escape of JSON. */
const LARGEST_BODY = 1536 * 1024;
const LONGEST_ASKED = 200_000;
/** Time grows with both: a query of the greatest length takes a text as long as that of a mention. */
const MOST_WORK = 50_000 * LONGEST_TEXT;

/** How long a text may be that is tried on these queries. */
function longestText(queries: readonly StoredQuery[]): number {
  const longest = Math.max(1, ...queries.map(({ text }) => text?.length ?? 0));
  return Math.max(LONGEST_TEXT, Math.min(LONGEST_ASKED, Math.floor(MOST_WORK / longest)));
}

async function explain(context: LocalApiContext, request: FastifyRequest<InProject>) {
  const project = await projectOf(context, request);
  const queries = await listQueries(context.db, project.id);
  const parameters = parametersOf(request);
  const body = request.method === "POST" ? createBodyReader(request.body, unknownTo(request)) : undefined;
  const most = longestText(queries);
  const subject = readSubject(parameters, (name) => body?.text(name, most) ?? parameters.text(name));
  body?.finish("a question about queries");
  parameters.finish();
  const found = await findSubject(context, project.id, queries, subject);
  const now = presentOf(context, project);
  const policy = dataPolicyOf(callerOf(request).client, project);
  return {
    known: found !== null,
    resourceId: found?.resourceId ?? null,
    withheld: found === null ? [] : withheldFields(policy, found.known.pageType ?? null),
    queries: await yieldingLoop(
      collect(queries, (query) => [{ id: query.id, name: query.name, ...explainQuery(query, found, now) }]),
    ),
  };
}

export function readSubject(
  parameters: Pick<ParameterReader, "fault">,
  read: (name: string) => string | undefined,
) {
  const [resourceId, url, text] = [read("resourceId"), read("url"), read("text")];
  const fields = { title: read("title"), language: read("language"), pageType: read("pageType") };
  if (resourceId === undefined && url === undefined && text === undefined)
    parameters.fault("resourceId: expected one, or the url of a mention, or a text.");
  return { resourceId, url, text, fields };
}

/**
 * A mention that is only in one query answers for the others, too; so does an item of a feed that came into none of them,
 * and is kept all the same.
 */
async function findSubject(
  { db }: LocalApiContext,
  projectId: number,
  queries: readonly StoredQuery[],
  { resourceId, url, text, fields }: ReturnType<typeof readSubject>,
): Promise<ExplainSubject | null> {
  if (resourceId === undefined && url === undefined) {
    const known = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    return {
      ...{ known, searchable: searchableMention(known, text ?? ""), resourceId: null },
      inQueries: new Map(),
    };
  }
  const by = resourceId === undefined ? { url: url ?? "" } : { resourceId };
  const received = await findReceivedQuery(db, projectId);
  const queryIds = [...queries.map(({ id }) => id), ...(received === null ? [] : [received])];
  const found = await findInQueries(db, { queryIds, ...by });
  const [one] = found;
  if (one === undefined) return null;
  return {
    known: one.record,
    searchable: searchableMention(one.record, one.fullText),
    resourceId: one.record.resourceId,
    inQueries: new Map(found.map((each) => [each.queryId, each])),
  };
}

type QueryOutcome =
  | "InQuery"
  | "Delayed"
  | "Matches"
  | "TextDiffers"
  | "LanguageDiffers"
  | "SourceDiffers"
  | "PlaceDiffers"
  | "NotInSample"
  | "BeforeStart"
  | "NoText"
  | "Unknown";

interface ExplainedQuery {
  /**
   * `InQuery`: it is there. `Delayed`: it is there and not shown yet. `Matches`: the text fits, and the mention is not
   * in the query (or it is no mention). `TextDiffers`: `miss` says why. `LanguageDiffers`, `SourceDiffers`,
   * `PlaceDiffers`: the query is limited to others. `NotInSample`: it keeps a part only. `BeforeStart`: older than its
   * start date. `NoText`: mentions come in by its name. `Unknown`: no query of the project has the mention, so nothing
   * is known of it.
   */
  readonly outcome: QueryOutcome;
  readonly message: string;
  readonly added: string | null;
  readonly visibleAt: string | null;
  readonly miss: QueryMiss | null;
}

const ANY = { languages: [], contentSources: null, includedLocations: [], excludedLocations: [] };

function explainQuery(query: StoredQuery, subject: ExplainSubject | null, now: number): ExplainedQuery {
  const found = subject?.inQueries.get(query.id);
  const times = {
    added: found === undefined ? null : wireTime(found.added),
    visibleAt: found === undefined ? null : wireTime(found.visibleAt),
  };
  const say = (outcome: QueryOutcome, message: string, miss: QueryMiss | null = null): ExplainedQuery => ({
    outcome,
    message,
    ...times,
    miss,
  });
  if (subject === null) return say("Unknown", "No query of this project has such a mention.");
  if (found !== undefined)
    return found.visibleAt > now
      ? say("Delayed", "The mention is in the query, and not shown yet.")
      : say("InQuery", "The mention is in the query.");
  const compiled = query.text === null ? null : compile(query.text);
  if (compiled === null || !compiled.ok)
    return say("NoText", "The query has no text that could find it; mentions come in by its name.");
  const { languages, contentSources, samplePercentage, startDate } = query;
  const miss = explainMiss(compiled.query, subject.searchable);
  if (miss !== undefined) return say("TextDiffers", miss.message, miss);
  if (!isOfQuery(subject.known, { ...ANY, languages }))
    return say("LanguageDiffers", `The query is limited to the languages ${languages.join(", ")}.`);
  if (!isOfQuery(subject.known, { ...ANY, contentSources }))
    return say("SourceDiffers", `The query is limited to the sources ${contentSources?.join(", ")}.`);
  if (!isOfQuery(subject.known, query))
    return say(
      "PlaceDiffers",
      "The query is limited to other places, or leaves out the place of the mention.",
    );
  if (subject.resourceId !== null && !isInSample(subject.resourceId, samplePercentage))
    return say("NotInSample", `The query keeps ${samplePercentage}% of what it finds, and not this one.`);
  const date = subject.known.date == null ? null : Date.parse(subject.known.date);
  if (startDate !== null && date !== null && date < startDate)
    return say("BeforeStart", `The query begins at ${wireTime(startDate)}, and the mention is older.`);
  return say("Matches", "The query finds this text.");
}

/** Fields in which rules search, and which the data policy withholds for this content source. */
function withheldFields(name: DataPolicyName, pageType: string | null): string[] {
  const policy: DataPolicy = DATA_POLICIES[name];
  const source = (pageType === null ? undefined : policy[pageType]) ?? OPEN_SOURCE;
  return ["title", "fullText", "author", "sentiment", "language", "country", "url"].filter(
    (field) => !source.shows(field),
  );
}
