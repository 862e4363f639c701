import { type Environment, openAlertActions, openShellBudget } from "#admin";
import {
  type Alert,
  accessTo,
  accountOf,
  BUCKET_MS,
  createMemoryTokenStore,
  createSourceClient,
  type Mention,
  OWN_QUERY,
  type Query,
  type Source,
  watchedQueries,
} from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { UserError } from "../../lib/errors.ts";
import { DAY, floorTo, HOUR, type Instant } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { copyFromApi } from "./api-mentions.ts";
import { readMentions } from "./read-mentions.ts";
import { LEARN_MS, storedMentions } from "./stored-mentions.ts";

/** Mentions to run rules over, in the order in which they arrived. */
export interface OpenBacktest {
  readonly queries: readonly Query[];
  readonly mentions: AsyncIterable<Mention> | Iterable<Mention>;
  /** Earlier mentions only teach. */
  readonly from: Instant;
  readonly to: Instant;
  /** Time goes on until here, so that the last alerts of a file can resolve. */
  readonly until: Instant;
  /** Real alerts in between, with what people said of them. */
  readonly alerts: readonly Alert[];
  /** What was left out, for people. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}

interface BacktestSource {
  /** Null: stored mentions, or with `fromApi` the Listening API. */
  readonly file: string | null;
  readonly fromApi: boolean;
  /** Null: all of a file, 30 days of the others. */
  readonly lastMs: number | null;
  /** For the API: those that can be called; empty without a configuration. */
  readonly sources: readonly Source[];
  readonly environment: Environment;
  readonly clock: Clock;
  readonly log: Logger;
  /** For long work. */
  readonly onProgress: (text: string) => void;
  readonly signal: AbortSignal;
}

const LAST_MS = 30 * DAY;
/** A backtest waits for free calls as long as it takes, and lets everything else go first. */
const PATIENCE_MS = HOUR;
const MOST_REASONS = 5;

/** Opens the mentions of a file, of the tables, or of the Listening API. Rejects with a UserError if there are none. */
export async function openBacktest(source: BacktestSource): Promise<OpenBacktest> {
  if (source.file !== null) return openFile(source, source.file);
  const opened = await (source.fromApi ? openApi(source) : openStored(source));
  if (opened.queries.length > 0) return opened;
  await opened.close();
  throw new UserError("there are no stored queries to run rules over", [
    "start the monitor first, or name a file of mentions with --file, or read the API with --from-api",
  ]);
}

async function openFile({ lastMs, onProgress, signal }: BacktestSource, file: string): Promise<OpenBacktest> {
  const read = await readMentions({
    file,
    onLines: (lines) => onProgress(`reading: ${lines.toLocaleString("en")} lines`),
    signal,
  });
  const [first, last] = [read.mentions[0], read.mentions.at(-1)];
  const reasons = read.skipped
    .slice(0, MOST_REASONS)
    .map(({ line, reason }) => `${file}:${line} is left out: ${reason}`);
  const more = read.skipped.length - reasons.length;
  const notes = [
    ...reasons,
    ...(more > 0 ? [`${more} more lines are left out`] : []),
    ...(read.withoutBrand > 0 ? [`${read.withoutBrand} lines without a brand are left out`] : []),
  ];
  if (first === undefined || last === undefined) throw new UserError(`${file} holds no mention`, notes);
  const begin = floorTo(first.addedAt, BUCKET_MS);
  return {
    queries: read.queries,
    mentions: read.mentions,
    from: lastMs === null ? begin : Math.max(begin, last.addedAt - lastMs),
    to: last.addedAt,
    until: last.addedAt + DAY,
    alerts: [],
    notes,
    close: async () => {},
  };
}

async function openStored({ lastMs, environment, clock, log }: BacktestSource): Promise<OpenBacktest> {
  const opened = await openAlertActions(environment, clock, log);
  try {
    const to = opened.clock.now();
    const from = to - (lastMs ?? LAST_MS);
    const queries = (await opened.stores.queries.active()).filter(
      ({ queryId }) => queryId !== OWN_QUERY.queryId,
    );
    return {
      queries,
      mentions: storedMentions(opened.stores, queries, from - LEARN_MS),
      from,
      to,
      until: to,
      alerts: await opened.stores.alerts.openedBetween(from, to),
      notes: [],
      close: opened.close,
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function openApi(source: BacktestSource): Promise<OpenBacktest> {
  if (source.sources.length === 0)
    throw new UserError("--from-api needs the account of a configuration, or feeds that run", [
      "write earshot.yaml, or name one with --config FILE; earshot start runs the feeds of its part listen",
    ]);
  const length = lastMs(source);
  const copies: Awaited<ReturnType<typeof copyOf>>[] = [];
  for (const one of source.sources) copies.push(await copyOf(one, source));
  const to = Math.min(...copies.map((copy) => copy.to));
  const mentions = copies.flatMap((copy) => copy.mentions);
  return {
    queries: copies.flatMap(({ queries }) => queries),
    mentions: copies.length === 1 ? mentions : mentions.sort((a, b) => a.addedAt - b.addedAt),
    from: to - length,
    to,
    until: to,
    alerts: [],
    notes: [],
    close: async () => {},
  };
}

/** The mentions of one source. */
async function copyOf(from: Source, source: BacktestSource) {
  const { environment, clock, log, signal } = source;
  const account = accountOf(from);
  const budget = await openShellBudget(environment, {
    account,
    timeoutMs: from.timeout,
    log,
    priority: "background",
    patienceMs: PATIENCE_MS,
  });
  const client = createSourceClient({
    ...accessTo(from),
    tokens: createMemoryTokenStore(),
    signal,
    gate: budget?.gate,
  });
  try {
    const queries = await watchedQueries(client, from);
    const to = clock.now();
    const copy = await copyFromApi({
      source: client,
      account,
      queries,
      from: to - lastMs(source) - LEARN_MS,
      to,
      pageSize: from.pageSize,
      home: environment.home,
      onProgress: ({ query, mentions }) =>
        source.onProgress(`reading ${query}: ${mentions.toLocaleString("en")} mentions`),
      signal,
    });
    return { queries, ...copy };
  } finally {
    await client.close();
    await budget?.close();
  }
}

function lastMs(source: BacktestSource): number {
  return source.lastMs ?? LAST_MS;
}
