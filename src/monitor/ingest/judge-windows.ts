import { DAY, floorTo, type Instant } from "../../lib/instant.ts";
import type { JsonValue } from "../../lib/json.ts";
import type { Alert } from "../model/alert.ts";
import { BUCKET_MS, type ConditionState, type CountChange } from "../model/judging.ts";
import type { Query, WatchedQuery } from "../model/query.ts";
import type { Rule, WindowRule } from "../rules/rule.ts";
import type { WindowCondition } from "../rules/window-condition.ts";
import type { Facts } from "../store/stores.ts";
import type { AlertObservation } from "./apply-observations.ts";
import { arrivalsByBucket, stepWindow } from "./step-window.ts";

interface JudgedWindows {
  readonly observations: readonly AlertObservation[];
  /** Buckets that close before this moment change nothing, unless something arrives; null: any may. */
  readonly asleepUntil: Instant | null;
}

/** Steps every window condition of the query through its new buckets. */
export async function judgeWindows(
  facts: Facts,
  query: WatchedQuery,
  rules: readonly Rule[],
  open: readonly Alert[],
  until: Instant,
): Promise<JudgedWindows> {
  const counted = await facts.counts.series(query.projectId, query.queryId);
  const ofWindows = rules.filter((rule) => rule.kind === "window");
  const windowRules = ofWindows.filter((rule) => rule.window.series.every(({ key }) => counted.has(key)));
  const asleepUntil = (states: ReadonlyMap<string, ConditionState>): Instant | null =>
    windowRules.length < ofWindows.length ? null : sleepOfAll(windowRules, states, until);
  if (windowRules.length === 0) return { observations: [], asleepUntil: asleepUntil(new Map()) };
  const isOpen = (rule: Rule): boolean => open.some((alert) => alert.rule === rule.name);
  const { states, orphans } = await startStates(facts, query, windowRules);
  const due = windowRules.flatMap((rule) => {
    const start = states.get(rule.window.key);
    if (start === undefined || start.steppedUntil >= until) return [];
    return [{ rule, start, mayRest: !isOpen(rule) && mayRest(rule.window, start, query, until) }];
  });
  if (due.length === 0) return { observations: [], asleepUntil: asleepUntil(states) };
  // A sleeping condition had no arrivals up to the last tick, else it would have been stepped then.
  const from = Math.min(
    ...due.map(({ start, mayRest }) => (mayRest ? query.tickedUntil : start.steppedUntil)),
  );
  const found = await facts.counts.arrivals(query.projectId, query.queryId, from, until);
  const active = new Set(found.map((change) => change.series));
  const wakes = ({ rule }: { rule: WindowRule }) => rule.window.series.some(({ key }) => active.has(key));
  const woken = due.filter((one) => one.mayRest && wakes(one));
  const arrivals = arrivalsByBucket([...(await arrivedBefore(facts, query, woken, from)), ...found]);
  const observations: AlertObservation[] = [];
  const stepped: ConditionState[] = [];
  for (const one of due) {
    if (one.mayRest && !wakes(one)) continue;
    const { rule, start } = one;
    // Buckets that closed before the last tick cause no alerts: a sleeping condition met nothing then, and one that was
    // removed only learns from them.
    const watchFrom = Math.max(start.watchFrom, query.tickedUntil);
    const run = stepWindow(rule, query, { start, arrivals, from: watchFrom, until, isOpen: isOpen(rule) });
    stepped.push(run.state);
    states.set(rule.window.key, run.state);
    observations.push(...run.observations);
  }
  await facts.conditions.remove(query.projectId, query.queryId, orphans);
  await facts.conditions.save(query.projectId, query.queryId, distinct(stepped));
  return { observations, asleepUntil: asleepUntil(states) };
}

/** A rule that was removed for some days, while another counted the same, looks asleep but has missed these. */
async function arrivedBefore(
  facts: Facts,
  { projectId, queryId }: Query,
  woken: readonly { readonly rule: WindowRule; readonly start: ConditionState }[],
  until: Instant,
): Promise<CountChange[]> {
  const from = Math.min(...woken.map(({ start }) => start.steppedUntil));
  if (from >= until) return [];
  const series = new Set(woken.flatMap(({ rule }) => rule.window.series.map(({ key }) => key)));
  return facts.counts.arrivals(projectId, queryId, from, until, [...series]);
}

/** A series without arrivals costs nothing: its buckets are stepped when something arrives, or once a week. */
function mayRest(
  window: WindowCondition,
  start: ConditionState,
  query: WatchedQuery,
  until: Instant,
): boolean {
  const isStored = start.state !== null && start.steppedUntil <= query.tickedUntil;
  return (
    isStored && until - start.steppedUntil < LONGEST_SLEEP_MS && window.isAsleep(start.state as JsonValue)
  );
}

const LONGEST_SLEEP_MS = 7 * DAY;

/** Until when none of these rules changes without arrivals. One without a state waits for the first mention. */
function sleepOfAll(
  rules: readonly WindowRule[],
  states: ReadonlyMap<string, ConditionState>,
  until: Instant,
): Instant | null {
  const started = rules.flatMap(({ window }) => {
    const state = states.get(window.key);
    return state === undefined ? [] : [{ window, state }];
  });
  // The table contains what a step returned.
  const areAsleep = started.every(
    ({ window, state }) =>
      state.state !== null && state.steppedUntil <= until && window.isAsleep(state.state as JsonValue),
  );
  if (!areAsleep) return null;
  return Math.min(until, ...started.map(({ state }) => state.steppedUntil)) + LONGEST_SLEEP_MS;
}

/**
 * The stored states. A rule that was edited without a change of what it counts keeps its state. A new one that counts
 * the same as another starts with a copy of what that one has learned. Any other starts at the query's first mention,
 * because the time before says nothing; buckets that closed before the rule existed only teach it. The same holds if a
 * state cannot be read: counts are kept for longer than a state remembers.
 */
async function startStates(
  facts: Facts,
  query: WatchedQuery,
  rules: readonly WindowRule[],
): Promise<{ states: Map<string, ConditionState>; orphans: string[] }> {
  const kept = await facts.conditions.states(query.projectId, query.queryId);
  const stored = kept.filter((state) => rules.every(({ window }) => isOfUse(state, window)));
  const states = new Map(stored.map((state) => [state.condition, state]));
  const keys = new Set(rules.map(({ window }) => window.key));
  const fresh = rules.filter(({ window }) => !states.has(window.key));
  if (fresh.length === 0) return { states, orphans: [] };
  const firstArrival = await facts.conditions.firstArrival(query.projectId, query.queryId);
  const watchFrom = Math.max(query.watchFrom, query.tickedUntil);
  const orphans: string[] = [];
  for (const { window } of fresh) {
    const relatives = stored.filter((state) => state.baseline === window.baseline);
    const orphan = newest(relatives.filter(({ condition }) => !keys.has(condition)));
    const relative = orphan ?? newest(relatives);
    if (relative !== undefined) {
      if (orphan !== undefined) orphans.push(orphan.condition);
      // The table contains what the step before returned.
      const learned = relative.state as JsonValue;
      states.set(window.key, {
        ...relative,
        condition: window.key,
        state: orphan === undefined ? window.inherit(learned) : learned,
      });
    } else if (firstArrival !== null) {
      const { key: condition, baseline } = window;
      const steppedUntil = floorTo(firstArrival, BUCKET_MS);
      states.set(condition, { condition, baseline, state: window.initial(), steppedUntil, watchFrom });
    }
  }
  return { states, orphans };
}

function isOfUse({ condition, baseline, state }: ConditionState, window: WindowCondition): boolean {
  const isItsOwn = condition === window.key || baseline === window.baseline;
  // The table contains what a step of this or of a later version returned.
  return !isItsOwn || window.canRead?.(state as JsonValue) !== false;
}

function newest(states: readonly ConditionState[]): ConditionState | undefined {
  return states.toSorted((a, b) => b.steppedUntil - a.steppedUntil)[0];
}

/** Two rules may share a condition; its state is one. */
function distinct(states: readonly ConditionState[]): ConditionState[] {
  return [...new Map(states.map((state) => [state.condition, state])).values()];
}
