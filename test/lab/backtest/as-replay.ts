import { pino } from "pino";
import { inject } from "vitest";
import { readMentions } from "../../../src/lab/backtest/read-mentions.ts";
import { reportOf } from "../../../src/lab/backtest/report.ts";
import { startReplay } from "../../../src/lab/replay/replay.ts";
import type { ReplayReport } from "../../../src/lab/replay/report.ts";
import { DAY, floorTo } from "../../../src/lib/instant.ts";
import { BUCKET_MS } from "../../../src/monitor/model/judging.ts";
import { loadRules } from "../../../src/monitor/rules/load-rules.ts";
import { NOBODY } from "./notify-config.ts";
import { simulate } from "./simulate.ts";

const TEMPLATES = new URL("../../../templates", import.meta.url).pathname;

/** Alerts and incidents as a replay reports them. */
export type ReplayResult = Pick<ReplayReport, "alerts" | "incidents">;

/** What the whole monitor finds in a file. */
export async function replayed(file: string, rules: string): Promise<ReplayResult> {
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
    const { alerts, incidents } = await running.run();
    return { alerts, incidents };
  } finally {
    await running.stop();
  }
}

/** What a simulation finds in the same file. */
export async function simulated(file: string, rules: string): Promise<ReplayResult> {
  const { queries, mentions } = await readMentions({ file });
  const span = {
    from: floorTo(mentions[0]?.addedAt ?? 0, BUCKET_MS),
    to: (mentions.at(-1)?.addedAt ?? 0) + DAY,
  };
  const result = await simulate({
    rules: (await loadRules(rules)).rules,
    queries,
    mentions,
    notifyConfig: NOBODY,
    ...span,
  });
  const { alerts, incidents } = reportOf(result, { ...span, timezone: "UTC" });
  return {
    alerts: alerts.map(({ rule, query, severity, openedAt, resolvedAt, mentions: count, because }) => ({
      ...{ rule, query, severity, openedAt, resolvedAt, mentions: count, because },
    })),
    incidents: incidents.map(({ query, severity, openedAt, endedAt, alerts: count }) => ({
      ...{ query, severity, openedAt, endedAt, alerts: count },
    })),
  };
}
