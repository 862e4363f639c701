import { setTimeout as delay } from "node:timers/promises";
import { describeError } from "../../lib/errors.ts";
import { isTransient } from "../../lib/retry.ts";
import type { Mention } from "../model/mention.ts";
import type { PollState } from "../model/poll-state.ts";
import { type CommitParts, type CommittedPage, commitPage } from "./commit-page.ts";
import { type PreparedPage, preparePage } from "./prepare-page.ts";
import type { RejectedRow, SourcePage } from "./source-page.ts";

type LeasedPoll = Parameters<typeof commitPage>[1];

/** Tries of a whole page that fails because of its content. */
const MOST_TRIES = 3;
const BETWEEN_TRIES_MS = 100;

/**
 * More mentions of one page than this cannot all be poison: then something else is wrong, and the page is retried
 * later.
 */
const MOST_POISON = 100;

/**
 * Commits a page. If its content makes that fail, halving finds the mentions that cause it, and everything else is
 * committed; they become dead letters with the reason. A transient error (a connection, a lock, a lost lease) is thrown
 * unchanged. The poll advances last, together with the dead letters, so a crash in between repeats work and loses
 * nothing.
 */
export async function commitWithDeadLetters(
  parts: CommitParts,
  run: LeasedPoll,
  prepared: PreparedPage,
  states: { readonly before: PollState; readonly after: PollState },
): Promise<CommittedPage> {
  for (let tries = 1; ; tries++) {
    try {
      return await commitPage(parts, run, prepared, states.after);
    } catch (error) {
      if (isTransient(error)) throw error;
      if (tries >= MOST_TRIES) break;
      await delay(BETWEEN_TRIES_MS);
    }
  }
  const { page } = prepared;
  const poison: RejectedRow[] = [];
  const prepare = (part: SourcePage) => preparePage(prepared.rules, parts.store.mentions.rowsOf, part);
  const committed = await commitHealthy(
    page.mentions,
    (mentions) => commitPage(parts, run, prepare({ ...page, mentions, rejected: [] }), states.before),
    poison,
  );
  const rest: SourcePage = { ...page, mentions: [], rejected: [...page.rejected, ...poison] };
  await commitPage(parts, run, prepare(rest), states.after);
  return committed;
}

async function commitHealthy(
  mentions: readonly Mention[],
  commit: (mentions: readonly Mention[]) => Promise<CommittedPage>,
  poison: RejectedRow[],
): Promise<CommittedPage> {
  const [only, another] = mentions;
  if (only === undefined) return NOTHING_COMMITTED;
  try {
    return await commit(mentions);
  } catch (error) {
    if (isTransient(error) || poison.length >= MOST_POISON) throw error;
    if (another === undefined) {
      const reason = `it could not be stored: ${describeError(error).slice(0, 200)}`;
      poison.push({ resourceId: only.resourceId, reason, mention: only, tries: MOST_TRIES + 1 });
      return NOTHING_COMMITTED;
    }
  }
  const middle = mentions.length >> 1;
  const one = await commitHealthy(mentions.slice(0, middle), commit, poison);
  const other = await commitHealthy(mentions.slice(middle), commit, poison);
  const earliest = [one.earliestAdded, other.earliestAdded].filter((moment) => moment !== null);
  return {
    added: one.added + other.added,
    changed: one.changed + other.changed,
    restamped: one.restamped + other.restamped,
    earliestAdded: earliest.length === 0 ? null : Math.min(...earliest),
    pending: [...one.pending, ...other.pending],
  };
}

export const NOTHING_COMMITTED: CommittedPage = {
  added: 0,
  changed: 0,
  restamped: 0,
  earliestAdded: null,
  pending: [],
};
