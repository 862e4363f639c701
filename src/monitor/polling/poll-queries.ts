import type { PollKey } from "../model/poll.ts";
import { breakOff } from "./commit-part.ts";
import { commitFailure, type PollFailure } from "./poll-call.ts";
import { claimPoll, type LeasedPoll, type PollMember, type PollOutcome, startMember } from "./poll-member.ts";
import type { PollParts } from "./poll-parts.ts";
import { type CallEnd, readCall } from "./read-call.ts";

/** The results of polls of one project. */
interface PollResult {
  readonly members: readonly { readonly key: PollKey; readonly result: PollOutcome }[];
  /** The call that several of them shared; null if there was none. */
  readonly shared: CallEnd | null;
}

/** Polls one query to its end. */
export async function pollQuery(parts: PollParts, key: PollKey, signal: AbortSignal): Promise<PollOutcome> {
  const { members } = await pollQueries(parts, [key], signal, true);
  return members[0]?.result ?? { outcome: "NotDue" };
}

/**
 * Polls queries of one project to their ends, by one call for all that can share it. Each has its own lease, watermark,
 * coverage and transactions.
 *
 * @param proven whether the source has shown that it answers one call for several queries
 */
async function pollQueries(
  parts: PollParts,
  keys: readonly PollKey[],
  signal: AbortSignal,
  proven: boolean,
): Promise<PollResult> {
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
    const resultOf = (key: PollKey): PollOutcome => results.get(key) ?? { outcome: "NotDue" };
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

export interface TogetherParts extends PollParts {
  /** A query that failed by itself, or makes a shared call fail, is polled alone until that succeeds. */
  readonly pollAlone: (keys: readonly PollKey[]) => Promise<void>;
}

interface TogetherOutcome {
  readonly outcome: "Together";
  readonly members: PollResult["members"];
  /**
   * Whether the source answers one call for several queries, as far as this poll shows. Mentions of two of them are
   * proof, and so is a refusal; an empty answer shows nothing.
   */
  readonly sharing: "proven" | "refused" | "unknown";
}

/** Polls several queries of one project by shared calls, and stores what these show about the source. */
export async function pollTogether(
  parts: TogetherParts,
  keys: readonly PollKey[],
  signal: AbortSignal,
  proven: boolean,
): Promise<TogetherOutcome> {
  const { members, shared } = await pollQueries(parts, keys, signal, proven);
  const shown = whatShowed(shared, proven);
  if (shown.addresses !== null)
    await parts.source.quirkLog.note([{ quirk: "addresses", value: shown.addresses }]);
  if (shown.isMembersFault) {
    const failed = members.filter(({ result }) => result.outcome === "BrokenOff");
    await parts.pollAlone(failed.map(({ key }) => key));
  }
  return { outcome: "Together", members, sharing: shown.sharing };
}

interface Shown {
  readonly sharing: TogetherOutcome["sharing"];
  /** Whether the server takes an address of more than SHORT ids; null if this does not show. */
  readonly addresses: "short" | "long" | null;
  /** Whether a member that failed may be the reason itself. */
  readonly isMembersFault: boolean;
}

/** What a shared call shows about the source. */
function whatShowed(call: CallEnd | null, proven: boolean): Shown {
  const failure = call?.failure ?? null;
  const isLong = call !== null && call.queries > SHORT;
  const isRefused = failure !== null && refusesSharing(failure);
  if (isLong && failure !== null && proven) {
    // The length of the address may be the reason, and then no query is at fault.
    const isTooLong = isRefused || failure.kind === "network";
    return { sharing: "unknown", addresses: isTooLong ? "short" : null, isMembersFault: false };
  }
  const addresses = isLong && failure === null ? "long" : null;
  // If the call itself failed temporarily, no query is at fault.
  const isMembersFault = failure === null || isRefused || isUnreadable(failure);
  const isProven = call !== null && call.seen >= 2;
  const sharing = isProven ? "proven" : isRefused && !proven ? "refused" : "unknown";
  return { sharing, addresses, isMembersFault };
}

/** As many ids as every server accepts in one address. */
const SHORT = 200;

/** The server may fail to send one mention of one query: when each is polled alone, it shows whose it is. */
function isUnreadable({ kind }: PollFailure): boolean {
  return kind === "malformed" || kind === "too-large";
}

/** Answers to a call for several queries where one for each may be accepted: their rights, or their number. */
function refusesSharing({ status }: PollFailure): boolean {
  return status !== null && [400, 403, 404, 413, 414, 422, 431, 494].includes(status);
}
