import { monotonicMs } from "../../src/lib/clock.ts";
import { HOUR, MINUTE } from "../../src/lib/instant.ts";
import type { RateLimit } from "../../src/monitor/model/poll.ts";
import { type AccountGroup, naturalGroups, ownGroups } from "./planner/account-groups.ts";
import type { Delays } from "./planner/delays.ts";
import { lowerBound } from "./planner/lower-bound.ts";
import { atIntervals, earshot, inTurn } from "./planner/simulate.ts";
import { createWorld, type World } from "./planner/world.ts";

// How long a mention waits from its `added` to being seen, by how the calls of an account are planned.

const SIZES = [5, 50, 200, 1_000, 5_000];
const LIMITS = [30, 600];
/** Mentions of an average query in a minute. */
const PER_QUERY = 1;
/** Aims for accounts with more queries than an address has room for. */
const GOALS = new Map([
  ["5000/30", 2],
  ["1000/600", 1.3],
]);
const SEEDS = 5;
const only = process.argv[2];

console.log(
  "delay from `added` to seen                     mean      p95   | by importance: mean  p95   | calls  most in a window",
);
for (const limit of LIMITS) {
  for (const size of SIZES) {
    if (only !== undefined && only !== `${size}/${limit}`) continue;
    // The hours shrink with the work, so that the whole bench takes minutes.
    const work = size * limit;
    const hours = work > 1_000_000 ? 0.5 : work > 100_000 ? 1 : work > 10_000 ? 4 : 8;
    const world = createWorld({
      queries: size,
      perMinute: Math.min(1_000, size * PER_QUERY),
      warmUpMs: hours * HOUR,
      measuredMs: hours * HOUR,
      seed: size + limit,
    });
    const account = { limit, periodMs: 10 * MINUTE };
    const startedAt = monotonicMs();
    const turn = inTurn(world, account);
    const shared = earshot(world, account, "long");
    const bound = lowerBound(world, account);
    console.log(`\n${size} queries, ${limit} calls per ten minutes`);
    show("one call per query in turn", turn);
    show("fixed intervals", atIntervals(world, account));
    if (size <= 200) show("Earshot, no call shared", earshot(world, account, "none"));
    if (size > 200 && limit < 100) show("Earshot, short addresses", earshot(world, account, "short"));
    show("Earshot", shared);
    // Queries that one short address names need no groups.
    if (size > 200) {
      show("Earshot, groups of the account", byGroups(world, account, naturalGroups(world, size)));
      show("Earshot, groups of its own", byGroups(world, account, ownGroups(world)));
    }
    show("Earshot that polls changes, too", earshot(world, account, "long", "with changes"));
    console.log(
      `  ${"no plan can do better (oracle)".padEnd(36)} ${format(bound.mean)} ${" ".repeat(9)} ${format(bound.weighted)}`,
    );
    const blindMs = account.periodMs / limit / 2;
    console.log(`  ${"no plan can that knows no arrivals".padEnd(36)} ${format(blindMs)}`);
    const times = turn.meanMs / shared.meanMs;
    const over =
      bound.mean < 10 ? "no plan has to wait at all:" : `${(shared.meanMs / bound.mean).toFixed(2)} times`;
    const aim = size === 200 && limit === 30 ? " (aims: at least 5, at most 1.3)" : "";
    console.log(
      `  ${times.toFixed(1)} times less than in turn; ${over} the bound${aim}, ${(shared.meanMs / blindMs).toFixed(2)} times that without an oracle; ${((monotonicMs() - startedAt) / 1_000).toFixed(1)} s`,
    );
    if (GOALS.has(`${size}/${limit}`)) showMedians(size, limit);
  }
}

/** What groups of queries are for: the mean wait, in that of calls for all queries at even intervals, without an oracle. */
function showMedians(size: number, limit: number): void {
  const account = { limit, periodMs: 10 * MINUTE };
  const blindMs = account.periodMs / limit / 2;
  const times: Record<string, number[]> = {
    "no groups": [],
    "groups of the account": [],
    "groups of its own": [],
  };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const ms = limit > 100 ? HOUR / 10 : HOUR / 2;
    const world = createWorld({
      queries: size,
      perMinute: Math.min(1_000, size * PER_QUERY),
      warmUpMs: ms,
      measuredMs: ms,
      seed,
    });
    times["no groups"]?.push(earshot(world, account, "long").meanMs / blindMs);
    times["groups of the account"]?.push(
      byGroups(world, account, naturalGroups(world, seed)).meanMs / blindMs,
    );
    times["groups of its own"]?.push(byGroups(world, account, ownGroups(world)).meanMs / blindMs);
  }
  for (const [name, found] of Object.entries(times)) {
    const sorted = found.sort((a, b) => a - b).map((one) => one.toFixed(2));
    console.log(
      `  ${name.padEnd(22)} median of ${SEEDS} seeds ${sorted[SEEDS >> 1]} times that without an oracle (aim: at most ${GOALS.get(`${size}/${limit}`)}); all: ${sorted.join(" ")}`,
    );
  }
}

function byGroups(world: World, account: RateLimit, groups: readonly AccountGroup[]): Delays {
  return earshot(world, account, "long", "without changes", groups);
}

function show(name: string, delays: Delays): void {
  console.log(
    `  ${name.padEnd(36)} ${format(delays.meanMs)} ${format(delays.p95Ms)} ${format(delays.weightedMeanMs)} ${format(delays.weightedP95Ms)} ${String(delays.calls).padStart(8)} ${String(delays.mostInWindow).padStart(5)}`,
  );
}

function format(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`.padStart(10);
}
