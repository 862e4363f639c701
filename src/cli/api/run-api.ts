import {
  type ApiCall,
  type Budget,
  cleanLine,
  createMemoryTokenStore,
  createSourceClient,
  type Gate,
  type RawParams,
  type SourceClient,
} from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import { UserError } from "../../lib/errors.ts";
import { InterruptedError } from "../../lib/stop-signal.ts";
import { isRow } from "../common/format-table.ts";
import { NobodyReadsError, printError, printLines, showJson } from "../common/print.ts";
import { ExitError } from "../common/run.ts";
import type { Access, AccessFlags } from "./access.ts";
import { fetchAll } from "./fetch-all.ts";
import { findProject, findQueries } from "./names.ts";
import { locationList, type Pair, readParameters, withRange } from "./parameters.ts";
import { csvLines, describeTotal, formatAnswer, recordsOf, tokenRecord } from "./print-answer.ts";
import { printFailure } from "./print-failure.ts";

/** The flags of `earshot api CALL`. */
export interface ApiOptions extends AccessFlags {
  readonly project?: string;
  readonly query?: readonly string[];
  readonly queryGroup?: readonly string[];
  readonly last?: string;
  readonly param: readonly string[];
  readonly all: boolean;
  readonly json: boolean;
  readonly csv: boolean;
  readonly quiet: boolean;
  readonly tokenIn: "header" | "parameter";
  readonly jsonSuffix: boolean;
}

/**
 * Makes the call and prints its answer. Throws a UserError, an ExitError with the code for a failed call, or an
 * InterruptedError.
 */
export async function runApi(
  call: ApiCall,
  options: ApiOptions,
  access: Access,
  signal: AbortSignal,
  /** Of the budget that the account's Earshot keeps, where there is one. */
  gate?: Gate,
): Promise<void> {
  const printResult = (line: string): void => {
    if (!options.quiet) printError(cleanLine(line));
  };
  // Report faults in what was written before the first call.
  if (options.json && options.csv) throw new UserError("--csv: choose one of --csv and --json");
  const given = readParameters(options.param);
  const range = withRange(call, given.pairs, options.last, access.clock);
  const project = options.project ?? given.places.projectId;
  const names = { queries: options.query ?? [], groups: options.queryGroup ?? [] };
  const isOpen = names.queries.length + names.groups.length === 0;
  let budget: Budget | null = null;
  const client = createSourceClient({
    baseUrl: access.baseUrl,
    credentials: access.credentials,
    tokens: createMemoryTokenStore(),
    spelling: { tokenIn: options.tokenIn, jsonSuffix: options.jsonSuffix },
    signal,
    gate,
    timeoutMs: access.timeoutMs,
    onBudget: (stated) => {
      budget = stated;
    },
  });

  async function toParams(): Promise<RawParams> {
    if (call.needs === "account") return { places: {}, parameters: given.pairs };
    const projectId = await findProject(client, project, printResult);
    const places = { ...CHART_DEFAULTS, ...given.places, projectId };
    if (call.writes) return { places, parameters: [], body: locationList(call, given.pairs, projectId) };
    const isNamed = given.pairs.some(([name]) => name === "queryId" || name === "queryGroupId");
    const queries =
      call.needs !== "mentions" || (isOpen && isNamed)
        ? []
        : await findQueries(client, projectId, names, printResult);
    if (range.description !== null) printResult(`Range: ${range.description}`);
    return { places, parameters: [...queries, ...range.pairs] };
  }

  try {
    const shares = gate === undefined ? "" : "; calls come out of the budget of the Earshot that watches it";
    printResult(`Asking ${access.baseUrl} as ${access.credentials.username} (${access.from})${shares}`);
    if (call.name === "token")
      await printOnce(call, tokenRecord(await client.token(), options.json), options);
    else if (options.all) await printAll(call, await toParams(), client, { options, signal, printResult });
    else {
      const answer = await client.ask(call.name, withPageSize(call, await toParams()));
      refuseError(answer);
      await printOnce(call, answer, options);
      const total = describeTotal(call, answer);
      if (total !== null && !options.json) printResult(total);
    }
  } catch (error) {
    if (error instanceof NobodyReadsError) throw error;
    throw signal.aborted ? new InterruptedError("stopped") : printFailure(error, access);
  } finally {
    if (budget !== null) printResult(formatBudget(budget));
    await client.close();
  }
}

function printOnce(call: ApiCall, answer: unknown, { json, csv }: ApiOptions): Promise<void> {
  if (json) return printLines([showJson(answer, 2)]);
  return printLines(csv ? csvLines(call, recordsOf(answer) ?? [answer], true) : [formatAnswer(call, answer)]);
}

function printAll(
  call: ApiCall,
  params: RawParams,
  client: SourceClient,
  parts: {
    readonly options: ApiOptions;
    readonly signal: AbortSignal;
    readonly printResult: (line: string) => void;
  },
): Promise<void> {
  const { options, ...rest } = parts;
  let isFirst = true;
  const write = async (records: readonly unknown[]): Promise<void> => {
    await printLines(options.csv ? csvLines(call, records, isFirst) : records.map((one) => showJson(one)));
    isFirst = false;
  };
  return fetchAll(call, params, client, { ...rest, write });
}

/** A proxy or a failing service may answer an error with status 200. */
function refuseError(answer: unknown): void {
  if (!isRow(answer) || "results" in answer || !("error" in answer)) return;
  const error = typeof answer["error"] === "string" ? answer["error"] : JSON.stringify(answer["error"]);
  throw new ExitError(cleanLine(`the API answered with an error: ${error.slice(0, 500)}`), 1);
}

const CHART_DEFAULTS = { aggregate: "volume", dimension1: "days", dimension2: "queries" };

/** A screen holds about twenty mentions. */
function withPageSize(call: ApiCall, params: RawParams): RawParams {
  if (!call.isPaged || params.parameters.some(([name]) => name === "pageSize")) return params;
  return { ...params, parameters: [...params.parameters, ["pageSize", "20"] satisfies Pair] };
}

function formatBudget({ limit, periodMs, used }: Budget): string {
  const spent = used === null ? "" : `${used} used of `;
  return `Rate budget: ${spent}${limit} calls in any ${formatDuration(periodMs)}`;
}
