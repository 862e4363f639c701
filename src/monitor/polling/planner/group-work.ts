import { DAY, HOUR, type Instant, MINUTE } from "../../../lib/instant.ts";
import type { CallBudget, RateLimit } from "../../model/poll.ts";
import type { QueryGroup } from "../../model/query-group.ts";
import type { ServerQuirk, ServerQuirks } from "../../model/server-quirk.ts";
import { spacingMs } from "./allowance.ts";

/** What is to be done about the groups of queries of an account. */
type GroupWork =
  /** `because` names why groups are not used, or that nothing is due. */
  | { readonly outcome: "Nothing"; readonly because: "NotScarce" | "NotShared" | "Refused" | "NotDue" }
  /** Read the lists of these projects, and change our own groups. */
  | { readonly outcome: "Read"; readonly projects: readonly string[] }
  /** Change our own groups of these projects, whose lists were read a short time ago. */
  | { readonly outcome: "Change"; readonly projects: readonly string[]; readonly readAt: Instant }
  /** Ask for some mentions of these groups: one call shows whether the server answers for groups. */
  | { readonly outcome: "Try"; readonly groups: readonly QueryGroup[] };

/**
 * Decides it. `projects`: those with more queries than an address has room for. `unsettled`: projects whose groups of
 * ours are not as they should be, and whether the answers to all changes are known (`isSure`). A scarce account may have
 * one free call in a window. If the list took it each time, no group would ever be changed: a list that was read a short
 * time ago is not read again.
 */
export function decideGroupWork(
  account: {
    readonly budget: Pick<CallBudget, "limit" | "sharing">;
    readonly projects: readonly string[];
    readonly groups: readonly QueryGroup[];
    readonly quirks: ServerQuirks;
    readonly unsettled: readonly { readonly projectId: string; readonly isSure: boolean }[];
  },
  now: Instant,
): GroupWork {
  const { budget, projects, groups } = account;
  const quirk = account.quirks.get("groups");
  const { unsettled } = account;
  for (const { projectId, isSure } of unsettled) {
    if (projects.includes(projectId)) continue;
    const readAt = latest(groups.filter((group) => group.projectId === projectId).map((one) => one.readAt));
    if (isSure && readAt !== null && now - readAt < HOUR)
      return { outcome: "Change", projects: [projectId], readAt };
    if (now - (readAt ?? 0) >= SOON_MS) return { outcome: "Read", projects: [projectId] };
  }
  if (budget.limit === null || projects.length === 0) return { outcome: "Nothing", because: "NotScarce" };
  if (budget.sharing !== "proven") return { outcome: "Nothing", because: "NotShared" };
  if (isRefused(quirk, now)) return { outcome: "Nothing", because: "Refused" };
  const readAt =
    latest(groups.map((group) => group.readAt)) ?? (quirk?.value === "none" ? quirk.lastAt : null);
  const doubtedAt = latest(groups.map((group) => group.doubtedAt));
  // A group that fails may be gone: its list is read before it is tried.
  const isChanged = doubtedAt !== null && doubtedAt >= (readAt ?? 0);
  const usualMs = groups.length === 0 ? HOUR : readEveryMs(budget.limit, projects.length);
  const sure = unsettled.filter(({ isSure }) => isSure).map(({ projectId }) => projectId);
  if (sure.length > 0 && readAt !== null && !isChanged && now - readAt < usualMs)
    return { outcome: "Change", projects: sure, readAt };
  const everyMs = isChanged ? MINUTE : unsettled.length > 0 ? SOON_MS : usualMs;
  if (readAt === null || now - readAt >= everyMs) return { outcome: "Read", projects };
  const trial = isChanged ? [] : chooseTrial(groups, quirk?.value === "answered", now);
  return trial.length > 0 ? { outcome: "Try", groups: trial } : { outcome: "Nothing", because: "NotDue" };
}

/** After a change that was not answered. */
const SOON_MS = 2 * MINUTE;

function isRefused(quirk: ServerQuirk | undefined, now: Instant): boolean {
  const isSure = quirk?.value === "refused" || quirk?.value === "without-query";
  return isSure && now - quirk.lastAt < DAY;
}

/**
 * One call in a hundred reads the lists, since a query that leaves its group is missed until then; then its poll reads
 * again what it may have missed.
 */
function readEveryMs(limit: RateLimit, projects: number): number {
  return Math.min(30 * MINUTE, Math.max(5 * MINUTE, spacingMs(limit, "live") * 100 * projects));
}

/**
 * While nothing is known of the server: one group after the other, since one without mentions shows nothing. Then those
 * that a failed call named, first together, as one of them may be gone by now, and then one by one.
 */
function chooseTrial(groups: readonly QueryGroup[], isKnown: boolean, now: Instant): readonly QueryGroup[] {
  const candidates = (isKnown ? groups.filter(({ doubtedAt }) => doubtedAt !== null) : [...groups]).sort(
    (a, b) => (a.triedAt ?? 0) - (b.triedAt ?? 0) || b.queryIds.length - a.queryIds.length,
  );
  const [first] = candidates;
  if (first === undefined) return [];
  const fresh = candidates.filter(
    ({ projectId, doubtedAt, triedAt }) =>
      projectId === first.projectId && doubtedAt !== null && (triedAt ?? 0) < doubtedAt,
  );
  if (fresh.length > 0) return fresh;
  const triedAt = latest(groups.map((group) => group.triedAt));
  return triedAt !== null && now - triedAt < TRY_AGAIN_MS ? [] : [first];
}

const TRY_AGAIN_MS = 10 * MINUTE;

function latest(moments: readonly (Instant | null)[]): Instant | null {
  return moments.reduce((last, at) => (at !== null && at > (last ?? 0) ? at : last), null);
}

/** What a trial shows. */
type TrialResult =
  /** Mentions of several members, and of nobody else. */
  | "Answered"
  /** Too few mentions, or also others: the server may not know what groups are. */
  | "Unproven"
  /** No mention says which query it is of. */
  | "WithoutQuery";

export function judgeTrial(
  groups: readonly Pick<QueryGroup, "queryIds">[],
  page: {
    readonly mentions: readonly { readonly queryId: string }[];
    readonly rejected: readonly { readonly queryId?: string | undefined }[];
  },
): TrialResult {
  const members = new Set(groups.flatMap(({ queryIds }) => queryIds));
  const rows = [...page.mentions, ...page.rejected];
  const named = new Set(rows.map(({ queryId }) => queryId).filter((id) => id !== undefined));
  if (rows.length > 0 && named.size === 0) return "WithoutQuery";
  return named.size >= 2 && [...named].every((id) => members.has(id)) ? "Answered" : "Unproven";
}
