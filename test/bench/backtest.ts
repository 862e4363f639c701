import { fileURLToPath } from "node:url";
import { createSimulation } from "../../src/lab/backtest/simulate.ts";
import { monotonicMs } from "../../src/lib/clock.ts";
import { formatDuration } from "../../src/lib/duration.ts";
import { DAY, HOUR, type Instant } from "../../src/lib/instant.ts";
import type { Mention } from "../../src/monitor/model/mention.ts";
import { loadRules } from "../../src/monitor/rules/load-rules.ts";
import type { Rule } from "../../src/monitor/rules/rule.ts";
import { toMention } from "../../src/monitor/source/to-mention.ts";
import { simulate } from "../lab/backtest/simulate.ts";
import { median } from "./median.ts";
import { wireMention } from "./wire-mention.ts";

// Mentions a second through rules, alerts and notifications of a backtest, once they are in memory, beside the bare
// predicates of the same rules on the same mentions. `--mentions 300000 --days 14 --rounds 5`

const mentionCount = Number(flag("--mentions") ?? 300_000);
const days = Number(flag("--days") ?? 14);
const rounds = Number(flag("--rounds") ?? 5);
const BEGIN = Date.UTC(2026, 10, 1);
const NAMES = ["Acme", "Globex", "Initech", "Umbrella"];

const { rules, faults } = await loadRules(fileURLToPath(new URL("../../rules", import.meta.url)));
if (faults.length > 0) throw new Error("the shipped rules have faults");
const queries = NAMES.map((name, index) => ({
  projectId: "1",
  queryId: String(index + 1),
  name,
  projectName: "Bench",
  timezone: "UTC",
}));
const notifyConfig = {
  routes: [
    {
      match: {},
      receivers: ["comms"],
      repeatEveryMs: 4 * HOUR,
      sendResolved: true,
      forgetAfterMs: DAY,
      group: null,
      routes: [],
      continue: false,
    },
  ],
  receiver: (name: string) => ({
    name,
    quietHours: [],
    throttle: { atMost: 10, perMs: 10 * 60_000, breakThrough: "critical" as const },
  }),
  throttled: [
    { name: "comms", throttle: { atMost: 10, perMs: 10 * 60_000, breakThrough: "critical" as const } },
  ],
  inhibitions: [],
  escalations: [],
  rotations: [],
};

/** One in 500 authors is large, as in life; the stream of the other benchmarks has one in four. */
const usual = Array.from({ length: mentionCount }, (_, index) => mentionOf(index, index % 500 !== 0));
const storm = usual.slice(0, Math.ceil(mentionCount / 10)).map((_, index) => mentionOf(index, false));

for (const [name, mentions] of [
  ["usual", usual],
  ["storm: every fourth author is large", storm],
] as const) {
  const rates: { bare: number; whole: number; cpu: number }[] = [];
  let found = "";
  for (let round = 0; round < rounds; round++) {
    const bareAt = monotonicMs();
    let met = 0;
    for (const mention of mentions) for (const rule of rules) if (rule.judge(mention).met) met++;
    const bare = perSecond(mentions.length, monotonicMs() - bareAt);
    const before = process.cpuUsage();
    const wholeAt = monotonicMs();
    const to = (mentions.at(-1)?.addedAt ?? BEGIN) + HOUR;
    const result = await simulate({ rules, queries, notifyConfig, mentions, from: BEGIN, to });
    const whole = perSecond(mentions.length, monotonicMs() - wholeAt);
    const { user, system } = process.cpuUsage(before);
    rates.push({ bare, whole, cpu: perSecond(mentions.length, (user + system) / 1_000) });
    if (result.mentions !== mentions.length) throw new Error(`${result.mentions} mentions were judged`);
    found = `${met} met a rule, ${result.alerts.length} alerts, ${result.notifications.length} notifications`;
  }
  const span = formatDuration((mentions.at(-1)?.addedAt ?? BEGIN) - BEGIN);
  console.log(`${name}: ${mentions.length} mentions in ${span}, ${queries.length} queries; ${found}`);
  show("bare predicates", median(rates.map(({ bare }) => bare)));
  show("backtest", median(rates.map(({ whole }) => whole)));
  show("backtest, a processor second", median(rates.map(({ cpu }) => cpu)));
  console.log(
    `  backtest / bare predicates: ${median(rates.map(({ bare, whole }) => whole / bare)).toFixed(2)}`,
  );
}
await memory(rules, usual);

/** The heap grows with windows and alerts: the same mentions again and again, one day later each time. */
async function memory(all: readonly Rule[], mentions: readonly Mention[]): Promise<void> {
  const simulation = createSimulation({ rules: all, queries, notifyConfig, from: BEGIN });
  const heaps: string[] = [];
  for (let day = 0; day < 3; day++) {
    const later = day * days * DAY;
    for (const mention of mentions)
      await simulation.take({
        ...mention,
        resourceId: `${mention.resourceId}${day}`,
        addedAt: mention.addedAt + later,
        updatedAt: mention.updatedAt + later,
        publishedAt: (mention.publishedAt ?? mention.addedAt) + later,
      });
    globalThis.gc?.();
    heaps.push(`${Math.round(process.memoryUsage().heapUsed / 1_048_576)} MB`);
  }
  console.log(
    `heap after ${days}, ${2 * days} and ${3 * days} days: ${heaps.join(", ")} (run with --expose-gc)`,
  );
}

function mentionOf(index: number, isSmall: boolean): Mention {
  const { mention } = toMention(wireMention(index, { queryId: 1 + (index % NAMES.length), startAt: BEGIN }));
  if (mention === null) throw new Error("the generated mention is none");
  const addedAt: Instant = BEGIN + Math.floor((index * days * DAY) / mentionCount);
  const age = mention.addedAt - (mention.publishedAt ?? mention.addedAt);
  return {
    ...mention,
    addedAt,
    updatedAt: addedAt,
    publishedAt: addedAt - age,
    ...(isSmall && { followers: Math.min(mention.followers ?? 0, 4_000), verified: false }),
  };
}

function perSecond(count: number, ms: number): number {
  return (count * 1_000) / ms;
}

function show(what: string, rate: number): void {
  console.log(`  ${what.padEnd(30)} ${Math.round(rate).toLocaleString("en").padStart(10)} mentions/s`);
}

function flag(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
}
