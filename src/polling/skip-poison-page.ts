import type { Clock } from "../lib/clock.ts";
import { describeError } from "../lib/errors.ts";
import { type Instant, toIso } from "../lib/instant.ts";
import type { PollKey } from "../model/poll.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { Stores } from "../store/stores.ts";
import type { PollRequest } from "./poll-request.ts";
import type { PollState } from "./poll-state.ts";
import { decideStep } from "./step-over.ts";
import { nextCall, type PollSettings } from "./watermark.ts";

/** The body of a page's dead letter: where its poll has to begin again. */
export interface PageBody {
  readonly poll: PollKey["poll"];
  readonly from: Instant;
}

interface PassParts {
  readonly store: Stores;
  readonly fetchPages: (
    query: WatchedQuery,
    request: PollRequest,
    signal: AbortSignal,
  ) => AsyncIterable<unknown>;
  readonly settings: (query: WatchedQuery, poll: PollKey["poll"]) => PollSettings;
  readonly clock: Clock;
}

/**
 * Takes a poll past a page that always fails, and stores its interval as a dead letter. Only if the pages behind it can
 * be read: otherwise the whole source has a problem, and nothing is skipped. Returns whether the poll can continue.
 */
export async function skipPoisonPage(
  parts: PassParts,
  run: {
    readonly key: PollKey;
    readonly query: WatchedQuery;
    readonly lease: string;
    readonly signal: AbortSignal;
  },
  state: PollState,
  failure: { readonly error: unknown; readonly tries: number },
): Promise<boolean> {
  const { key, query, lease } = run;
  const settings = parts.settings(query, key.poll);
  const now = parts.clock.now();
  const { kind } = failure.error as { kind?: string };
  const step = decideStep(state, { kind, tries: failure.tries }, settings, now);
  if (step.outcome === "TriesAgain" || step.outcome === "TooFresh") return false;
  if (step.outcome === "BeginsAnew") {
    await parts.store.polls.advance(key, lease, step.state);
    return true;
  }
  const { request } = nextCall(key.poll, step.state, settings, now);
  if (!(await canBeRead(parts.fetchPages(query, request, run.signal)))) return false;
  const body: PageBody = { poll: key.poll, from: step.from };
  await parts.store.transaction(async (facts) => {
    await facts.polls.advance(key, lease, step.state);
    await facts.deadLetters.add(
      {
        projectId: key.projectId,
        queryId: key.queryId,
        kind: "page",
        scope: `${key.poll} from ${toIso(step.from)} to ${toIso(step.to)}`,
        reason: describeError(failure.error).slice(0, 300),
        tries: failure.tries,
        body,
      },
      now,
    );
  });
  return true;
}

async function canBeRead(pages: AsyncIterable<unknown>): Promise<boolean> {
  try {
    for await (const _page of pages) break;
    return true;
  } catch {
    return false;
  }
}
