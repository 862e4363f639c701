import {
  type ApiCall,
  type Budget,
  createSourceClient,
  type Gate,
  type RawParams,
  SourceError,
} from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import { UserError } from "../../lib/errors.ts";
import { InterruptedError } from "../../lib/stop-signal.ts";
import { ExitError } from "../run.ts";
import type { Access } from "./access.ts";
import type { ApiCache } from "./api-cache.ts";
import { fetchAll } from "./fetch-all.ts";
import type { Named } from "./find-named.ts";
import { findProject, findQueries, isNameList, type NameSource, nameKey } from "./find-scope.ts";
import { formatAnswer, recordsOf } from "./format-answer.ts";
import { locationList } from "./location-list.ts";
import type { ApiOptions, Terminal } from "./options.ts";
import { type Pair, readParameters, withRange } from "./parameters.ts";
import { printFailure } from "./print-failure.ts";
import { printToken } from "./print-token.ts";
import { printTotal } from "./print-total.ts";
import { sanitizeJson, sanitizeLine } from "./sanitize-terminal.ts";
import { createWriter, type Writer } from "./writer.ts";

/** In a pipe, lines are not cut: scripts need them whole. */
const PIPE_WIDTH = 1_000;

/** Makes the call and prints its answer. Throws a UserError, an ExitError with the code for a failed call, or an InterruptedError. */
export async function runApi(
  call: ApiCall,
  options: ApiOptions,
  access: Access,
  terminal: Terminal,
  cache: ApiCache,
  /** Of the budget that the account's Earshot keeps, where there is one. */
  gate?: Gate,
): Promise<void> {
  const writer = createWriter(terminal.stdout);
  const printResult = (line: string): void => {
    if (!options.quiet) terminal.stderr.write(`${sanitizeLine(line)}\n`);
  };
  // Report faults in the parameters before the first call.
  const given = readParameters(options.param);
  const range = withRange(call, given.pairs, options.last, access.clock);
  const signal = AbortSignal.any([terminal.signal, writer.closed]);
  let budget: Budget | null = null;
  const client = createSourceClient({
    baseUrl: access.baseUrl,
    credentials: access.credentials,
    tokens: cache.tokens,
    spelling: { tokenIn: options.tokenIn, jsonSuffix: options.jsonSuffix },
    signal,
    ...(gate === undefined ? {} : { gate }),
    ...(access.timeoutMs === undefined ? {} : { timeoutMs: access.timeoutMs }),
    onBudget: (stated) => {
      budget = stated;
    },
  });
  try {
    const shares = gate === undefined ? "" : "; calls come out of the budget of the Earshot that watches it";
    printResult(`Asking ${access.baseUrl} as ${access.credentials.username} (${access.from})${shares}`);
    await ask(
      call,
      options,
      { client, cache },
      {
        given,
        range,
        width: widthOf(terminal),
        writer,
        printResult,
        terminal,
        signal,
      },
    );
  } catch (error) {
    if (terminal.signal.aborted) throw new InterruptedError("stopped");
    if (!writer.closed.aborted) throw printFailure(error, access);
  } finally {
    if (budget !== null) printResult(formatBudget(budget));
    await client.close();
  }
}

interface Asking {
  readonly given: ReturnType<typeof readParameters>;
  readonly range: ReturnType<typeof withRange>;
  readonly width: number;
  readonly writer: Writer;
  readonly printResult: (line: string) => void;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

async function ask(call: ApiCall, options: ApiOptions, source: NameSource, asking: Asking): Promise<void> {
  const { writer, width } = asking;
  const { client, cache } = source;
  if (call.name === "token") return writer.write(printToken(await client.token(), options.json, width));
  const params = await toParams(call, options, source, asking);
  let hasWritten = false;
  const write = (text: string): Promise<void> => {
    hasWritten = true;
    return writer.write(text);
  };
  const noting = { ...asking, writer: { ...writer, write } };
  try {
    await askOnce(call, options, source, params, noting);
  } catch (error) {
    // A kept name may stand for something that was deleted since. What is refused like this has done nothing.
    const isStale = error instanceof SourceError && STALE.has(error.kind) && !hasWritten;
    if (!isStale || !(await cache.forgetNames())) throw error;
    const fresh = await toParams(call, options, source, asking);
    if (isSameScope(params, fresh)) throw error;
    await askOnce(call, options, source, fresh, noting);
  }
}

function toNamed(answer: unknown): Named[] {
  return (recordsOf(answer) ?? []).flatMap((record) => {
    const { id, name } = (record ?? {}) as { readonly [field in "id" | "name"]?: unknown };
    return id === undefined || typeof name !== "string" ? [] : [{ id: String(id), name }];
  });
}

const STALE: ReadonlySet<string> = new Set(["not-found", "rejected", "forbidden"]);

function isSameScope(before: RawParams, after: RawParams): boolean {
  const scopeOf = ({ places, parameters }: RawParams): string =>
    JSON.stringify([places.projectId, parameters.filter(([name]) => /^query(?:Group)?Id$/.test(name))]);
  return scopeOf(before) === scopeOf(after);
}

async function askOnce(
  call: ApiCall,
  options: ApiOptions,
  { client, cache }: NameSource,
  params: RawParams,
  asking: Asking,
): Promise<void> {
  const { writer, printResult, width } = asking;
  if (options.all) return fetchAll(call, params, client, asking);
  const answer = await client.ask(call.name, withPageSize(call, params));
  refuseError(answer);
  // A whole list that was shown is what the next command knows.
  if (isNameList(call.name) && params.parameters.length === 0)
    await cache.keepNames(nameKey(call.name, params.places.projectId), toNamed(answer));
  if (options.json) return writer.write(`${sanitizeJson(answer, 2)}\n`);
  await writer.write(`${formatAnswer(call, answer, width)}\n`);
  const total = printTotal(call, answer);
  if (total !== null) printResult(total);
}

async function toParams(
  call: ApiCall,
  options: ApiOptions,
  source: NameSource,
  { given, range, printResult }: Asking,
): Promise<RawParams> {
  const wanted = options.project ?? given.places.projectId;
  if (call.needs === "account") {
    if (wanted !== undefined || options.query.length + options.queryGroup.length > 0)
      throw new UserError(`${call.name} is about the whole account: leave out --project and --query`);
    return { places: {}, parameters: given.pairs };
  }
  const projectId = await findProject(source, wanted, printResult);
  const asked = { queries: options.query, groups: options.queryGroup, pairs: given.pairs };
  const queries = await findQueries(source, call, projectId, asked, printResult);
  if (range.description !== null) printResult(`Range: ${range.description}`);
  const places = { ...CHART_DEFAULTS, ...given.places, projectId };
  if (call.writes) return { places, parameters: [], body: locationList(call, given.pairs, projectId) };
  return { places, parameters: [...queries, ...range.pairs] };
}

/** A proxy or a failing service may answer an error with status 200. */
function refuseError(answer: unknown): void {
  if (typeof answer !== "object" || answer === null || "results" in answer || !("error" in answer)) return;
  const error = typeof answer.error === "string" ? answer.error : JSON.stringify(answer.error);
  throw new ExitError(sanitizeLine(`the API answered with an error: ${error.slice(0, 500)}`), 1);
}

const CHART_DEFAULTS = { aggregate: "volume", dimension1: "days", dimension2: "queries" };

/** A screen holds about twenty mentions. */
function withPageSize(call: ApiCall, params: RawParams): RawParams {
  if (!call.isPaged || params.parameters.some(([name]) => name === "pageSize")) return params;
  return { ...params, parameters: [...params.parameters, ["pageSize", "20"] satisfies Pair] };
}

function widthOf({ stdout }: Terminal): number {
  return stdout.isTTY === true ? Math.max(40, stdout.columns ?? 100) : PIPE_WIDTH;
}

function formatBudget({ limit, periodMs, used }: Budget): string {
  const spent = used === null ? "" : `${used} used of `;
  return `Rate budget: ${spent}${limit} calls in any ${formatDuration(periodMs)}`;
}
