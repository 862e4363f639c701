import type { Instant } from "../../lib/instant.ts";
import type { PollKey } from "../model/poll.ts";
import type { ArrivalCell } from "../store/counts.ts";
import type { Stores } from "../store/stores.ts";
import { type ArrivalHistory, learnArrivals, NOTHING_OBSERVED } from "./planner/arrival-rate.ts";

/** The new mentions that a finished poll found. */
export interface FinishedPoll {
  readonly key: PollKey;
  readonly found: number;
  readonly startedAt: Instant;
  /** Since when it found everything, if it is the first. */
  readonly historyFrom: Instant;
}

const TOTAL = -1;
const RECENT = -2;

/** Adds finished polls to the arrival rates. What a crash loses here is learned again by the next poll. */
export async function recordArrivals(
  stores: Pick<Stores, "arrivals">,
  polls: readonly FinishedPoll[],
): Promise<void> {
  if (polls.length === 0) return;
  const known = new Map<string, ArrivalCell[]>();
  for (const cell of await stores.arrivals.of(polls.map(({ key }) => key))) {
    const cells = known.get(nameOf(cell)) ?? [];
    cells.push(cell);
    known.set(nameOf(cell), cells);
  }
  const cells = polls.flatMap((poll) => {
    const before = known.get(nameOf(poll.key)) ?? [];
    const total = before.find(({ hour }) => hour === TOTAL);
    const from = total?.untilAt ?? poll.historyFrom;
    if (from >= poll.startedAt) return [];
    const history = historyOf(before);
    const after = learnArrivals(history, { mentions: poll.found, from, to: poll.startedAt });
    return changedCells(poll, history, after);
  });
  if (cells.length > 0) await stores.arrivals.save(cells);
}

function nameOf({ projectId, queryId, poll }: PollKey): string {
  return `${poll} ${queryId} ${projectId}`;
}

function historyOf(cells: readonly ArrivalCell[]): ArrivalHistory {
  const cell = (hour: number) => cells.find((one) => one.hour === hour);
  const recent = cell(RECENT);
  return {
    total: cell(TOTAL) ?? NOTHING_OBSERVED.total,
    hours: new Map(cells.filter(({ hour }) => hour >= 0).map((one) => [one.hour, one])),
    recent: recent === undefined ? NOTHING_OBSERVED.recent : { ...recent, until: recent.untilAt },
  };
}

function changedCells(
  { key, startedAt }: FinishedPoll,
  before: ArrivalHistory,
  after: ArrivalHistory,
): ArrivalCell[] {
  const changed = [...after.hours].filter(([hour, cell]) => before.hours.get(hour) !== cell);
  const all = [[TOTAL, after.total] as const, [RECENT, after.recent] as const, ...changed];
  return all.map(([hour, { mentions, ms }]) => ({ ...key, hour, mentions, ms, untilAt: startedAt }));
}
