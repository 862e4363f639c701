import type { PollKey } from "../model/poll.ts";
import type { QueryGroup } from "../model/query-group.ts";
import { breakOff } from "./commit-part.ts";
import { nameQueries } from "./page-request.ts";
import { longestAddress } from "./planner/allowance.ts";
import { byGroup, commitFailure, isUnreadable, refusesSharing } from "./poll-call.ts";
import {
  claimPolls,
  type LeasedPoll,
  type PollMember,
  type PollOutcome,
  startMember,
} from "./poll-member.ts";
import type { PollParts } from "./poll-parts.ts";
import { type CallContext, type CallEnd, readCall } from "./read-call.ts";

/** The results of polls of one project. */
interface PollResult {
  readonly members: readonly { readonly key: PollKey; readonly result: PollOutcome }[];
  /** The call that several of them shared; null if there was none. */
  readonly shared: CallEnd | null;
}

/** Polls one query to its end. */
export async function pollQuery(parts: PollParts, key: PollKey, signal: AbortSignal): Promise<PollOutcome> {
  const { members } = await pollQueries(parts, [key], { signal, proven: true, groups: [] });
  return members[0]?.result ?? { outcome: "NotDue" };
}

/**
 * Polls queries of one project to their ends, by one call for all that can share it. Each has its own lease, watermark,
 * coverage and transactions.
 */
async function pollQueries(
  parts: PollParts,
  keys: readonly PollKey[],
  context: CallContext,
): Promise<PollResult> {
  const { signal } = context;
  const results = new Map<PollKey, PollOutcome>();
  let leased: readonly { readonly key: PollKey; readonly lease: string }[] = [];
  const keepAlive = setInterval(() => {
    leased = leased.filter(({ key }) => !results.has(key));
    // A renewal that fails shows in the next commit, which checks the lease.
    if (leased.length > 0) parts.store.polls.renew(leased).catch(() => {});
  }, RENEW_EVERY_MS);
  const end = (poll: LeasedPoll, result: PollOutcome): void => {
    results.set(poll.key, result);
  };
  try {
    const claimed = await claimPolls(parts, keys, (held) => {
      leased = held;
    });
    const started = await Promise.all(
      claimed.map(async (claim) => {
        try {
          return await startMember(parts, claim);
        } catch (error) {
          end(
            claim.poll,
            await breakOff(parts, claim.poll, commitFailure(error), { isShared: false, signal }),
          );
          return null;
        }
      }),
    );
    const members = started.filter((member) => member !== null);
    const beyond = beyondAddress(members, context.groups);
    for (const member of beyond)
      end(member, await breakOff(parts, member, GROUP_IS_GONE, { isShared: true, signal }));
    const calls = callsOf(members.filter((member) => !beyond.has(member)));
    const ends = await Promise.all(calls.map((members) => readCall(parts, members, context, end)));
    const shared = ends.find(({ queries }) => queries > 1) ?? null;
    const resultOf = (key: PollKey): PollOutcome => results.get(key) ?? { outcome: "NotDue" };
    return { members: keys.map((key) => ({ key, result: resultOf(key) })), shared };
  } finally {
    clearInterval(keepAlive);
  }
}

const RENEW_EVERY_MS = 3_000;

/** Members that a group would have named that is gone by now: more than the address has room for. */
function beyondAddress(members: readonly PollMember[], groups: readonly QueryGroup[]): Set<PollMember> {
  const { queryIds, queryGroupIds } = nameQueries(
    members.map(({ query }) => query),
    groups,
  );
  const idLength = Math.max(1, ...queryIds.map((id) => id.length));
  const left = new Set(queryIds.slice(Math.max(1, longestAddress(idLength) - queryGroupIds.length)));
  return new Set(members.filter(({ key }) => left.has(key.queryId)));
}

const GROUP_IS_GONE = byGroup("a group that would have named it is gone");

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

/**
 * Polls several queries of one project by shared calls, and stores what these show about the source.
 *
 * @param groupIds groups of the account that name some of the queries
 */
export async function pollTogether(
  parts: TogetherParts,
  keys: readonly PollKey[],
  signal: AbortSignal,
  proven: boolean,
  groupIds: readonly string[] = [],
): Promise<TogetherOutcome> {
  const projectId = keys[0]?.projectId ?? "";
  const { queryGroups } = parts.store;
  const groups = groupIds.length === 0 ? [] : await queryGroups.find(projectId, groupIds);
  const { members, shared } = await pollQueries(parts, keys, { signal, proven, groups });
  if (shared !== null && shared.groupIds.length > 0) {
    if (shared.failure?.kind === "by-group")
      await queryGroups.doubt(projectId, shared.groupIds, parts.clock.now());
    if (shared.failure === null) await queryGroups.learnSurplus(projectId, shared.groupIds, shared.surplus);
  }
  const shown = whatShowed(shared, proven);
  if (shown.addresses !== null)
    await parts.source.quirkLog.note([{ quirk: "addresses", value: shown.addresses }]);
  if (shown.isMembersFault) {
    const failed = members.filter(({ result }) => result.outcome === "BrokenOff");
    await parts.pollAlone(failed.map(({ key }) => key));
  }
  return { outcome: "Together", members, sharing: shown.sharing };
}

interface SharedCallFindings {
  readonly sharing: TogetherOutcome["sharing"];
  /** Whether the server takes an address of more than SHORT ids; null if this does not show. */
  readonly addresses: "short" | "long" | null;
  /** Whether a member that failed may be the reason itself. */
  readonly isMembersFault: boolean;
}

/** What a shared call shows about the source. */
function whatShowed(call: CallEnd | null, proven: boolean): SharedCallFindings {
  const failure = call?.failure ?? null;
  const isLong = call !== null && call.ids > SHORT;
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
