import type { FastifyInstance } from "fastify";
import type { ConsoleFacts, QueueCounts } from "#monitor";
import type { Clock } from "../lib/clock.ts";
import { cached } from "../lib/concurrency.ts";
import { SECOND } from "../lib/instant.ts";
import { ALWAYS_ANSWERED } from "./admission.ts";
import type { Times } from "./common/times.ts";
import { renderMetrics } from "./render-metrics.ts";

/** Whether the process can do its work: one line for each dependency. Must answer within a few seconds. */
export interface Health {
  ready(): Promise<
    readonly { readonly name: string; readonly ok: boolean; readonly detail?: string | undefined }[]
  >;
  /** Jobs by queue, for the metrics; absent if the process does not know the queues. */
  queues?: (() => Promise<readonly QueueCounts[]>) | undefined;
}

/** Public and unlimited, so answers are cached for this long. */
const READINESS_LIVES_MS = SECOND;

export function healthRoutes(
  app: FastifyInstance,
  parts: {
    readonly health: Health;
    readonly facts: ConsoleFacts;
    readonly times: Times;
    readonly wall: Clock;
  },
): void {
  const { health, facts, times, wall } = parts;
  app.get("/healthz", async (_request, reply) => reply.type("text/plain; charset=utf-8").send("ok\n"));

  const checked = () => health.ready().catch(() => [{ name: "checks", ok: false }]);
  const checkedLately = cached(checked, READINESS_LIVES_MS, wall, 1);

  // Public, so it names the dependency and leaves the reasons to the log.
  app.get("/readyz", async (_request, reply) => {
    const checks = await checkedLately.ask();
    const lines = checks.map(({ name, ok }) => `${name}: ${ok ? "ok" : "failing"}`);
    return reply
      .code(checks.every(({ ok }) => ok) ? 200 : 503)
      .type("text/plain; charset=utf-8")
      .send(`${lines.join("\n")}\n`);
  });

  app.get("/metrics", { config: ALWAYS_ANSWERED }, async (_request, reply) => {
    const isReady = (await checked()).every(({ ok }) => ok);
    const queues = () => health.queues?.() ?? Promise.resolve([]);
    const text = await renderMetrics(facts, times, queues, isReady);
    return reply.type("text/plain; version=0.0.4; charset=utf-8").send(text);
  });
}
