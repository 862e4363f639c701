import { yieldingLoop } from "../../lib/concurrency.ts";
import { groupBy } from "../../lib/group-by.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../lib/instant.ts";
import type { CallBudget, PollKey, PollKind, Priority, RateLimit } from "../model/poll.ts";
import type { Query, SourceName } from "../model/query.ts";
import type { Rule } from "../rules/rule.ts";
import type { Source } from "../source/source-config.ts";
import type { BudgetStore } from "../store/budgets.ts";
import type { PollCandidate } from "../store/poll-plans.ts";
import type { Stores } from "../store/stores.ts";
import type { QuirkLog } from "./next-page.ts";
import {
  catchUpMs,
  MOST_IDS,
  mostIds,
  pollsPerCall,
  roundMs,
  slotsOf,
  spacingMs,
} from "./planner/allowance.ts";
import {
  type ArrivalCount,
  expectedRate,
  hourOfWeek,
  NOTHING_OBSERVED,
  rhythmOf,
} from "./planner/arrival-rate.ts";
import { forecastPolls } from "./planner/forecast-polls.ts";
import { CHANGE_WORTH, importanceOf, isCrisis } from "./planner/importance.ts";
import { type Candidate, type PlannedCall, type PlanSettings, planCalls } from "./planner/plan-calls.ts";

export interface PlanParts {
  readonly stores: Pick<Stores, "arrivals" | "polls" | "queryGroups">;
  readonly budget: BudgetStore;
  /** Only its queries are planned. */
  readonly source: Source;
  readonly rulesFor: (query: Query) => readonly Rule[];
  readonly quirkLog: Pick<QuirkLog, "quirks">;
  /** Ends due polls that would find nothing; absent: the source does not say what was not written to. */
  readonly skipUnchanged?: ((now: Instant) => Promise<readonly PollKey[]>) | undefined;
}

/** One call to make now. */
export interface PlannedPoll {
  readonly keys: readonly PollKey[];
  /** Groups that name some of them. */
  readonly groupIds: readonly string[];
  /** Its number among all planned calls of the account. */
  readonly turn: number;
}

/** The plans of several sources together. */
export function createPlanner(plans: readonly PlanParts[]) {
  const unlimitedAt = new Map<SourceName, Instant>();
  const callsOf = async (plan: PlanParts, now: Instant): Promise<readonly PlannedPoll[] | null> => {
    const { name } = plan.source;
    if (Math.abs(now - (unlimitedAt.get(name) ?? Number.NEGATIVE_INFINITY)) < UNLIMITED_FOR_MS) return null;
    const calls = await planPolls(plan, now);
    if (calls === null) unlimitedAt.set(name, now);
    else unlimitedAt.delete(name);
    return calls;
  };
  return {
    /** The calls to make now, and the sources without a limit, whose polls run whenever they are due. */
    planPolls: async (now: Instant) => {
      const all = await Promise.all(
        plans.map(async (plan) => ({ source: plan.source.name, calls: await callsOf(plan, now) })),
      );
      return {
        calls: all.flatMap(({ calls }) => calls ?? []),
        unplanned: all.flatMap(({ source, calls }) => (calls === null ? [source] : [])),
      };
    },
    /** Ends due polls that would find nothing, and returns them. */
    skipUnchanged: async (now: Instant): Promise<readonly PollKey[]> =>
      (await Promise.all(plans.map(({ skipUnchanged }) => skipUnchanged?.(now) ?? []))).flat(),
    publishPlans: async (now: Instant) => {
      for (const plan of plans) await publishPlan(plan, now);
    },
  };
}

/** For so long a budget without a limit is not read again. Each call takes its slot, should there be a limit by then. */
const UNLIMITED_FOR_MS = 15 * SECOND;

/**
 * The calls that are due under the account's rate limit, marked as planned. Null: the account has no limit, and every
 * poll runs when it is due.
 */
async function planPolls(parts: PlanParts, now: Instant): Promise<readonly PlannedPoll[] | null> {
  const budget = await parts.budget.read();
  const { limit } = budget;
  if (limit === null) return null;
  await parts.skipUnchanged?.(now);
  const turns = turnsDue(budget, limit);
  if (turns === 0) return [];
  const { candidates, settings, spacing } = await planState(parts, budget, limit, now);
  const calls = planCalls(candidates, settings, { calls: turns, turn: budget.turn, now });
  const planned: PlannedPoll[] = [];
  for (const call of calls) {
    const slots = slotsOf(limit.limit).of[priorityOf(call)];
    if ((await parts.budget.waitMs(slots)) > 0) continue;
    const turn = await parts.budget.nextTurn(spacing, catchUpMs(spacing));
    if (turn === null) break;
    // Until the source has answered one, one shared call is tried at a time.
    const isTrial = call.members.length > 1 && budget.sharing === "untried";
    if (isTrial) await parts.budget.setSharing("untried");
    await parts.stores.polls.plan(call.members, now);
    planned.push({ keys: call.members, groupIds: call.groupIds, turn });
    if (isTrial) break;
  }
  return planned;
}

/** Stores when each poll is next, by the current plan; pages and commands show it. */
async function publishPlan(parts: PlanParts, now: Instant): Promise<void> {
  const budget = await parts.budget.read();
  if (budget.limit === null) return parts.stores.polls.promise([], parts.source.name);
  const { candidates, settings, spacing } = await planState(parts, budget, budget.limit, now);
  const waitMs = Math.max(budget.closedForMs, spacing - (budget.pacedMsAgo ?? spacing));
  const play = { now, nextTurnAt: now + waitMs, spacingMs: spacing, turn: budget.turn };
  const forecasts = await yieldingLoop(forecastPolls(candidates, settings, play));
  const plan = forecasts.map(({ key, nextPollAt }) => ({ ...key, nextPollAt }));
  if (plan.length > 0) await parts.stores.polls.promise(plan, parts.source.name);
}

/** How many planned calls are due by now, with those that fell due since the last sweep. */
function turnsDue({ closedForMs, pacedMsAgo }: CallBudget, limit: RateLimit): number {
  if (closedForMs > 0) return 0;
  if (pacedMsAgo === null) return 1;
  const spacing = spacingMs(limit, "crisis");
  return Math.floor(Math.min(pacedMsAgo, spacing + catchUpMs(spacing)) / spacing);
}

function priorityOf({ purpose, importance }: PlannedCall): Priority {
  if (purpose === "history") return "background";
  return isCrisis(importance) ? "crisis" : "live";
}

/** The stored state that the plan depends on. */
async function planState(parts: PlanParts, budget: CallBudget, limit: RateLimit, now: Instant) {
  const hour = hourOfWeek(now);
  const [polls, quirks, added, updated] = await Promise.all([
    parts.stores.polls.candidates(hour, now, parts.source.name),
    parts.quirkLog.quirks(),
    parts.stores.arrivals.pooled("added", hour),
    parts.stores.arrivals.pooled("updated", hour),
  ]);
  const rhythm = { added: rhythmIn(added, hour), updated: rhythmIn(updated, hour) };
  const sharing = mayShare(budget);
  const candidates = polls.map((poll) => candidateOf(parts, poll, rhythm, now));
  // Long addresses are for a server that is known to share calls, and refused none of them within a day.
  const short = quirks.get("addresses");
  const isShort = budget.sharing !== "proven" || (short?.value === "short" && now - short.lastAt < DAY);
  const idLength = Math.max(1, ...polls.map(({ queryId }) => queryId.length));
  const most = isShort ? MOST_IDS : mostIds(idLength, polls.length, limit);
  const isGrouped = sharing && polls.length > most && quirks.get("groups")?.value === "answered";
  const known = isGrouped ? await parts.stores.queryGroups.of(parts.source.name) : [];
  const groups = known.filter(({ doubtedAt }) => doubtedAt === null);
  const queryIds = polls.map(({ queryId }) => queryId);
  const settings: PlanSettings = {
    sharing,
    mostIds: most,
    groups: groupBy(groups, ({ projectId }) => projectId),
    pageSize: parts.source.pageSize,
    roundMs: roundMs(polls.length, limit, sharing ? pollsPerCall(most, queryIds, groups) : 1),
  };
  const hasCrises = candidates.some(({ importance }) => isCrisis(importance));
  return { candidates, settings, spacing: spacingMs(limit, hasCrises ? "crisis" : "live") };
}

function mayShare({ sharing, sharingTriedMsAgo }: CallBudget): boolean {
  if (sharing !== "untried") return sharing === "proven";
  return sharingTriedMsAgo === null || sharingTriedMsAgo > TRY_AGAIN_MS;
}

const TRY_AGAIN_MS = 10 * MINUTE;

function rhythmIn(pooled: readonly { hour: number; mentions: number; ms: number }[], hour: number): number {
  const of = (wanted: number): ArrivalCount =>
    pooled.find((one) => one.hour === wanted) ?? NOTHING_OBSERVED.total;
  return rhythmOf(of(hour), of(-1));
}

function candidateOf(
  { source, rulesFor }: PlanParts,
  poll: PollCandidate,
  rhythm: Readonly<Record<PollKind, number>>,
  now: Instant,
): Candidate {
  const { projectId, queryId, totalMentions, totalMs, hourMentions, hourMs } = poll;
  const history = {
    total: { mentions: totalMentions ?? 0, ms: totalMs ?? 0 },
    hours: new Map(
      hourMentions === null || hourMs === null
        ? []
        : [[hourOfWeek(now), { mentions: hourMentions, ms: hourMs }]],
    ),
    recent: { mentions: poll.recentMentions ?? 0, ms: poll.recentMs ?? 0, until: poll.recentUntil ?? now },
  };
  const importance = importanceOf(rulesFor(poll)) * (poll.poll === "added" ? 1 : CHANGE_WORTH);
  const historyFrom = poll.poll === "added" ? poll.watchFrom - source.history : poll.watchFrom;
  return {
    key: { projectId, queryId, poll: poll.poll },
    importance,
    rate: expectedRate(history, rhythm[poll.poll], now),
    knownUntil: poll.polledAt,
    waitsSince: Math.min(poll.watchFrom, now - HOUR),
    readsFrom: Math.min(
      poll.watermark === null ? historyFrom : poll.watermark - source.overlap,
      poll.rereadFrom ?? Number.POSITIVE_INFINITY,
    ),
    isDue: poll.nextAt <= now,
    alone: poll.alone,
    isFailing: poll.failures >= 3,
  };
}
