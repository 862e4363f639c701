import type { PollKey } from "../model/poll.ts";
import { breakOff } from "./commit-part.ts";
import { commitFailure } from "./poll-call.ts";
import { claimPoll, type LeasedPoll, type PollMember, type PollOutcome, startMember } from "./poll-member.ts";
import type { PollParts } from "./poll-parts.ts";
import { type CallEnd, readCall } from "./read-call.ts";

/** What polls of one project came to. */
export interface Polled {
  readonly members: readonly { readonly key: PollKey; readonly result: PollOutcome }[];
  /** The call that several of them shared; null if there was none. */
  readonly shared: CallEnd | null;
}

/** Polls one query to its end. */
export async function pollQuery(parts: PollParts, key: PollKey, signal: AbortSignal): Promise<PollOutcome> {
  const { members } = await pollQueries(parts, [key], signal, true);
  return members[0]?.result ?? { outcome: "not-due" };
}

/**
 * Polls queries of one project to their ends, by one call for all that can share it. Each has its own lease, watermark,
 * coverage and transactions.
 *
 * @param proven whether the source has shown that it answers one call for several queries
 */
export async function pollQueries(
  parts: PollParts,
  keys: readonly PollKey[],
  signal: AbortSignal,
  proven: boolean,
): Promise<Polled> {
  const results = new Map<PollKey, PollOutcome>();
  const leased: LeasedPoll[] = [];
  const keepAlive = setInterval(() => {
    for (const { key, lease } of leased) {
      // A renewal that fails shows in the next commit, which checks the lease.
      if (!results.has(key)) parts.store.polls.renew(key, lease).catch(() => {});
    }
  }, RENEW_EVERY_MS);
  const end = (poll: LeasedPoll, result: PollOutcome): void => {
    results.set(poll.key, result);
  };
  try {
    const started = await Promise.all(
      keys.map(async (key) => {
        const poll = await claimPoll(parts, key);
        if (poll === null) return null;
        leased.push(poll);
        try {
          return await startMember(parts, poll);
        } catch (error) {
          end(poll, await breakOff(parts, poll, commitFailure(error), { isShared: false, signal }));
          return null;
        }
      }),
    );
    const calls = callsOf(started.filter((member) => member !== null));
    const ends = await Promise.all(calls.map((members) => readCall(parts, members, signal, proven, end)));
    const shared = ends.find(({ queries }) => queries > 1) ?? null;
    const resultOf = (key: PollKey): PollOutcome => results.get(key) ?? { outcome: "not-due" };
    return { members: keys.map((key) => ({ key, result: resultOf(key) })), shared };
  } finally {
    clearInterval(keepAlive);
  }
}

const RENEW_EVERY_MS = 3_000;

/** Who resumes from a cursor of its own, or reads in another way than the others, cannot share a call. */
function callsOf(members: readonly PollMember[]): PollMember[][] {
  const wayOf = ({ request }: PollMember): string => JSON.stringify([request.orderDirection, request.path]);
  const first = members.find(({ request }) => request.cursor === null);
  const isSharing = (member: PollMember): boolean =>
    first !== undefined && member.request.cursor === null && wayOf(member) === wayOf(first);
  const alone = members.filter((member) => !isSharing(member)).map((member) => [member]);
  const sharing = members.filter(isSharing);
  return sharing.length === 0 ? alone : [sharing, ...alone];
}
