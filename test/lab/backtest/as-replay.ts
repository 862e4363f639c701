import { pino } from "pino";
import { inject } from "vitest";
import { readMentions } from "../../../src/lab/backtest/read-mentions.ts";
import { simulate } from "../../../src/lab/backtest/simulate.ts";
import { startReplay } from "../../../src/lab/replay/replay.ts";
import type { ReplayReport } from "../../../src/lab/replay/report.ts";
import { DAY, floorTo, toIso } from "../../../src/lib/instant.ts";
import { BUCKET_MS } from "../../../src/monitor/model/judging.ts";
import { loadRules } from "../../../src/monitor/rules/load-rules.ts";
import { NOBODY } from "./notify-config.ts";

const TEMPLATES = new URL("../../../templates", import.meta.url).pathname;

/** An alert as a replay reports it. */
export type FoundAlert = ReplayReport["alerts"][number];

/** The alerts of the whole monitor over a file. */
export async function replayedAlerts(file: string, rules: string): Promise<readonly FoundAlert[]> {
  const running = await startReplay({
    file,
    speed: "max",
    databaseUrl: inject("postgresUrl"),
    redisUrl: null,
    rules,
    templates: TEMPLATES,
    consoleUrl: () => null,
    log: pino({ level: "silent" }),
    onProgress: () => {},
    signal: new AbortController().signal,
  });
  try {
    return (await running.run()).alerts;
  } finally {
    await running.stop();
  }
}

/** The alerts of a simulation over the same file. */
export async function simulatedAlerts(file: string, rules: string): Promise<readonly FoundAlert[]> {
  const { queries, mentions } = await readMentions({ file });
  const { alerts } = simulate({
    rules: (await loadRules(rules)).rules,
    queries,
    mentions,
    notifyConfig: NOBODY,
    from: floorTo(mentions[0]?.addedAt ?? 0, BUCKET_MS),
    to: (mentions.at(-1)?.addedAt ?? 0) + DAY,
  });
  return alerts.map(({ rule, queryName, severity, openedAt, resolvedAt, mentions, because }) => ({
    rule,
    query: queryName,
    severity,
    openedAt: toIso(openedAt),
    resolvedAt: resolvedAt === null ? null : toIso(resolvedAt),
    mentions,
    because,
  }));
}
