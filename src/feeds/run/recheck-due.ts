import { setTimeout as delay } from "node:timers/promises";
import type { DueCheck } from "#listening-api";
import { type Instant, MINUTE } from "../../lib/instant.ts";
import type { FeedAnswer, RecheckResult } from "../common/define-feed.ts";
import type { PageStatus } from "./page-status.ts";
import { type PlannedFeed, proxyOf } from "./plan-feeds.ts";

/** A site that is busy with others is asked another time. */
const LONGEST_TURN_MS = MINUTE;

interface RecheckParts {
  readonly pageStatus: PageStatus;
  /** Takes the next moment at which the host may be asked; gives the wait until then, in milliseconds. */
  readonly reserve: (host: string, slots: { count: number; paceMs: number }) => Promise<number>;
  readonly signal: AbortSignal;
}

/** Asks for the pages of stored items, and gives what they answered: whether an item was edited or deleted is decided when it is stored. */
export async function recheckDue(
  { part, definition, settings }: PlannedFeed,
  due: readonly DueCheck[],
  now: Instant,
  { pageStatus, reserve, signal }: RecheckParts,
): Promise<RecheckResult> {
  const reader = definition.recheck?.read(due, part, settings, now);
  if (reader === undefined) return { items: [], deletes: [] };

  /** An item may name any address: one inside is asked only where the feed itself is. */
  async function askPage(url: string): Promise<FeedAnswer> {
    const { host } = new URL(url);
    const isOwn = part.url !== null && new URL(part.url).host === host;
    const allowPrivateAddress = settings.allowPrivateAddress && isOwn;
    const through = proxyOf(settings);
    const wait = await reserve(host, { count: 1, paceMs: definition.pace.everyMs });
    if (wait <= LONGEST_TURN_MS) await delay(wait, undefined, { signal });
    const status =
      wait <= LONGEST_TURN_MS ? await pageStatus(url, { allowPrivateAddress, signal, ...through }) : 0;
    return { status, url, json: undefined, document: null, start: "", header: () => null };
  }

  let step = reader.next([]);
  while (step.done !== true) {
    const answers: FeedAnswer[] = [];
    for (const { url } of step.value) answers.push(await askPage(url));
    step = reader.next(answers);
  }
  return step.value;
}
