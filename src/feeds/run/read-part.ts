import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { DueCheck, ScheduledCheck } from "#listening-api";
import { HOUR, type Instant, MINUTE, SECOND } from "../../lib/instant.ts";
import type { JsonObject, JsonValue } from "../../lib/json.ts";
import type { CollectParts, FeedAnswer, FeedRead, FeedRequest } from "../common/define-feed.ts";
import { FeedError, UnreadableError } from "../common/feed-error.ts";
import type { FetchFeed, RawAnswer, Validators } from "./fetch-feed.ts";
import { judgeChecks } from "./judge-checks.ts";
import { type ForeignReader, isReadInThread } from "./open-reader.ts";
import { type PlannedFeed, proxyOf } from "./plan-feeds.ts";

/** What is stored of a feed between two fetches. */
const State = z.object({
  cursor: z.json().default(null),
  /** By address: what the server gave to recognise its answer by, and the hash of the body. */
  validators: z
    .record(
      z.string(),
      z.object({
        etag: z.string().optional(),
        lastModified: z.string().optional(),
        body: z.string().optional(),
      }),
    )
    .default({}),
  /** When it was last fetched without conditions. */
  wholeAt: z.number().default(0),
  /** Edits that were pushed, and those of them after which it was fetched without conditions. */
  pushedEdits: z.number().catch(0).default(0),
  readEdits: z.number().catch(0).default(0),
  /** By address: where it has moved for good. */
  moved: z.record(z.string(), z.string()).catch({}).default({}),
});

type State = z.output<typeof State>;
const NEW_STATE = State.parse({});

/** Some servers answer 304 for ever, or keep the ETag of an old document. */
const WHOLE_EVERY_MS = 6 * HOUR;
const MOST_VALIDATORS = 20;
const LONGEST_VALIDATOR = 500;

/** Waiting for longer would outlive the lease, and keep a worker from other feeds. */
const LONGEST_TURN_MS = MINUTE;

/** The host has asked another feed meanwhile to be left alone: this one waits its turn, too, and has not failed. */
export class HostClosedError extends Error {
  override readonly name = "HostClosedError";
}

export interface ReadParts {
  readonly fetch: FetchFeed["fetch"];
  /** Takes the next moments at which the host may be asked; gives the wait until the first, in milliseconds. */
  readonly reserve: (host: string, slots: { count: number; paceMs: number }) => Promise<number>;
  /** Called before each batch of requests. Throws if the feed is no longer ours. */
  readonly hold: () => Promise<void>;
  readonly reader: ForeignReader;
  /** Called before something is read in a thread: see CollectParts. */
  readonly beginReading: CollectParts["beginReading"];
  /** Stored items of the feed that are to be asked for again. Default: none. */
  readonly dueChecks?: (most: number) => Promise<readonly DueCheck[]>;
  readonly signal: AbortSignal;
  /** Longest silence of a server, for kinds with a protocol of their own. Default: 30 s. */
  readonly timeoutMs?: number;
}

interface ReadResult {
  readonly read: FeedRead;
  readonly state: JsonObject;
  /** When the stored items are asked for next that were to be asked for again. */
  readonly checks: readonly ScheduledCheck[];
  /** Where its address has moved for good. */
  readonly movedTo?: string | null;
}

/** Gives requests, and gets their answers. */
type Asking<Result> = Generator<readonly FeedRequest[], Result, readonly FeedAnswer[]>;

/**
 * Lets the reader of the feed ask what it wants, at the pace of its host, and gives what it read with the state to
 * store. Stores nothing. Throws what the fetch or the reader throws; then the old state stays good.
 */
export async function readPart(
  feed: PlannedFeed,
  stored: JsonObject,
  now: Instant,
  parts: ReadParts,
): Promise<ReadResult> {
  const { part, definition, settings } = feed;
  const before = State.catch(NEW_STATE).parse(stored);
  const isWhole = now - before.wholeAt >= WHOLE_EVERY_MS || before.pushedEdits !== before.readEdits;
  const validators: State["validators"] = {};
  if (definition.collect !== undefined) {
    await parts.hold();
    const { signal, hold, beginReading, reader, timeoutMs = 30 * SECOND } = parts;
    const context = { now, signal, hold, beginReading, timeoutMs, readMail: reader.readMail };
    const read = await definition.collect(part, settings, before.cursor as JsonValue, context);
    return { read, state: { cursor: read.cursor }, checks: [] };
  }
  if (definition.read === undefined) throw new Error(`a feed of the kind ${definition.kind} is not fetched`);
  const { pace } = definition;

  const moved = new Map(Object.entries(before.moved));
  let isReading = false;

  /** What a document is stays the same name until it changes; of other answers there are many in a fetch. */
  async function readAnswer(
    fetched: RawAnswer,
    request: FeedRequest,
    hash: string | null,
  ): Promise<FeedAnswer> {
    if (isReadInThread(fetched, request.reads) && !isReading) {
      isReading = true;
      await parts.beginReading(hash ?? "answers");
    }
    return parts.reader.readAnswer(fetched, request.reads, parts.signal);
  }

  /** A document that has moved for good is asked for where it is now; if that fails or is none, where it was. */
  async function ask(request: FeedRequest): Promise<FeedAnswer> {
    const to = request.conditional === true ? moved.get(request.url) : undefined;
    if (to !== undefined)
      try {
        return await askAt(to, request);
      } catch (error) {
        if (!(error instanceof FeedError) || error instanceof UnreadableError) throw error;
        moved.delete(request.url);
      }
    return askAt(request.url, request);
  }

  async function askAt(url: string, request: FeedRequest): Promise<FeedAnswer> {
    const known = request.conditional === true ? before.validators[request.url] : undefined;
    const { allowPrivateAddress } = settings;
    const how = { allowPrivateAddress, signal: parts.signal, ...proxyOf(settings) };
    const conditions = known === undefined || isWhole ? {} : conditionsOf(known);
    const headers = headersFor(url, request);
    const answer = await parts.fetch({ ...request, url, headers }, { ...how, validators: conditions });
    if (answer.status === 304 && Object.keys(conditions).length === 0) throw new FeedError(NOT_ASKED);
    if (request.conditional !== true) return readAnswer(answer, request, null);
    if (answer.movedTo !== undefined && answer.movedTo.length < LONGEST_VALIDATOR)
      moved.set(request.url, answer.movedTo);
    if (answer.status === 304) {
      if (known !== undefined) validators[request.url] = known;
      return unchanged(answer);
    }
    const body = createHash("sha256").update(answer.bytes).digest("base64url");
    validators[request.url] = { ...validatorsOf(answer), body };
    // Many servers give every answer a new ETag.
    return !isWhole && known?.body === body ? unchanged(answer) : readAnswer(answer, request, body);
  }

  async function askAll(requests: readonly FeedRequest[]): Promise<FeedAnswer[]> {
    const answers: FeedAnswer[] = [];
    // Small batches, so that the lease is held and a stop is not kept waiting.
    for (let from = 0; from < requests.length; from += MOST_AT_ONCE) {
      const batch = requests.slice(from, from + MOST_AT_ONCE);
      await parts.hold();
      const host = new URL(batch[0]?.url ?? "").host;
      const wait = await parts.reserve(host, { count: batch.length, paceMs: pace.everyMs });
      if (wait > LONGEST_TURN_MS) throw new HostClosedError(host);
      await delay(wait, undefined, { signal: parts.signal });
      answers.push(...(await inTurns(batch, pace, ask, parts.signal)));
    }
    return answers;
  }

  async function run<Result>(asking: Asking<Result>): Promise<Result> {
    let step = asking.next([]);
    while (step.done !== true) step = asking.next(await askAll(step.value));
    return step.value;
  }

  const fresh = await run(definition.read(part, settings, before.cursor as JsonValue, now));
  const mayAsk = fresh.more !== true && fresh.pauseMs === undefined;
  const { checks, ...more }: Rechecked = mayAsk ? await recheck(feed, now, parts, run) : { checks: [] };
  const read = joinReads(fresh, more);
  const state = stateAfter(before, read, { validators, moved, now, isWhole });
  return { read, state, checks, movedTo: moved.get(part.url ?? "") ?? null };
}

type Rechecked = Partial<FeedRead> & Pick<ReadResult, "checks">;

/** Checks stored items again. A failure here is reported, and takes nothing from what was read. */
async function recheck(
  { part, definition, settings }: PlannedFeed,
  now: Instant,
  parts: ReadParts,
  run: <Result>(asking: Asking<Result>) => Promise<Result>,
): Promise<Rechecked> {
  const { most, read, asksPages = false } = definition.recheck ?? {};
  const due = most === undefined || asksPages ? [] : ((await parts.dueChecks?.(most)) ?? []);
  if (due.length === 0 || read === undefined) return { checks: [] };
  const nothing = () => judgeChecks(due, { deletes: [], unanswered: due }, false).checks;
  try {
    const { items, pauseMs, ...found } = await run(read(due, part, settings, now));
    const { deletes, checks, away } = judgeChecks(due, found, false);
    const pause = pauseMs === undefined ? {} : { pauseMs };
    const problem = away === 0 ? {} : { problem: siteAway(away) };
    return { items, deletes, ...pause, ...problem, checks };
  } catch (error) {
    if (error instanceof HostClosedError) return { checks: nothing() };
    if (!(error instanceof FeedError)) throw error;
    const problem = `stored items could not be checked for deletes: ${error.message}`;
    const pause = error.retryAfterMs === null ? {} : { pauseMs: error.retryAfterMs };
    return { problem, ...pause, checks: nothing() };
  }
}

const NOT_ASKED =
  "it answers that nothing has changed (status 304), although nobody has asked that; a cache before it may be broken";

/** What was read, with what the checks of stored items found. */
function joinReads(fresh: FeedRead, checked: Partial<FeedRead>): FeedRead {
  return {
    ...fresh,
    ...checked,
    // Of two states of one item the later one counts, and the first in the list is taken.
    items: [...(checked.items ?? []), ...fresh.items],
    deletes: [...fresh.deletes, ...(checked.deletes ?? [])],
  };
}

/** The state to store after a fetch. A document that broke off is fetched whole again. */
function stateAfter(
  before: State,
  read: FeedRead,
  fetched: Pick<State, "validators"> & {
    readonly moved: ReadonlyMap<string, string>;
    readonly now: Instant;
    readonly isWhole: boolean;
  },
): JsonObject {
  const { moved, now, isWhole } = fetched;
  const { pushedEdits } = before;
  const isRead = read.problem === undefined;
  const validators = isRead ? Object.entries(fetched.validators).slice(0, MOST_VALIDATORS) : [];
  return {
    cursor: read.cursor,
    validators: Object.fromEntries(validators),
    wholeAt: isWhole && isRead ? now : before.wholeAt,
    ...(moved.size > 0 && { moved: Object.fromEntries([...moved].slice(0, MOST_VALIDATORS)) }),
    ...(pushedEdits !== 0 && { pushedEdits, readEdits: isRead ? pushedEdits : before.readEdits }),
  } as JsonObject;
}

/** For people. A move, or a server that does not let us in, looks like a thousand deletes. */
export function siteAway(items: number): string {
  return `its server answers as if it had none of the ${items} items that were asked for again; nothing was deleted. Has it moved?`;
}

/** A secret of one site is none of another's business. */
function headersFor(to: string, { url, headers = {} }: FeedRequest): Readonly<Record<string, string>> {
  if (new URL(to).origin === new URL(url).origin) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() === "accept"));
}

const MOST_AT_ONCE = 100;

/** Starts the requests at the pace, some at a time; answers in the order of the requests. The first failure counts. */
async function inTurns(
  requests: readonly FeedRequest[],
  { everyMs, atOnce }: { readonly everyMs: number; readonly atOnce: number },
  ask: (request: FeedRequest) => Promise<FeedAnswer>,
  signal: AbortSignal,
): Promise<FeedAnswer[]> {
  const answers: FeedAnswer[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < requests.length; index = next++) {
      const request = requests[index];
      if (request === undefined) return;
      if (index > 0 && everyMs > 0) await delay(everyMs * Math.min(atOnce, index), undefined, { signal });
      answers[index] = await ask(request);
    }
  };
  const workers = Array.from({ length: Math.min(atOnce, requests.length) }, work);
  const ended = await Promise.allSettled(workers);
  for (const one of ended) if (one.status === "rejected") throw one.reason;
  return answers;
}

function unchanged({ url, header }: RawAnswer): FeedAnswer {
  return { status: 304, url, header, json: undefined, document: null, start: "" };
}

function validatorsOf(answer: RawAnswer): Validators {
  const etag = answer.header("etag");
  const lastModified = answer.header("last-modified");
  const isFit = (value: string | null): value is string =>
    value !== null && value.length <= LONGEST_VALIDATOR;
  return { ...(isFit(etag) ? { etag } : {}), ...(isFit(lastModified) ? { lastModified } : {}) };
}

function conditionsOf({
  etag,
  lastModified,
}: {
  etag?: string | undefined;
  lastModified?: string | undefined;
}): Validators {
  return { ...(etag === undefined ? {} : { etag }), ...(lastModified === undefined ? {} : { lastModified }) };
}
