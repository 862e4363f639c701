import type { FastifyInstance } from "fastify";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { SECOND } from "../../lib/instant.ts";
import { loopDelay } from "../../lib/loop-delay.ts";
import type { DatabasePool } from "../store/database.ts";

/** What a server of the local API did, in Prometheus' text format. Each process counts its own. */
export interface Meter {
  /** Counts every answer of the server. */
  watch(app: FastifyInstance): void;
  read(): Promise<string>;
}

const BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5, 10, 30];
const LOOP_SECONDS = 15;

export function createMeter(pool: DatabasePool): Meter {
  const registry = new Registry();
  const registers = [registry];
  const answers = new Counter({
    name: "earshot_local_api_answers_total",
    help: "Answers by call and status. The call is the pattern of its path, so no value of a request is in it.",
    labelNames: ["method", "call", "status"],
    registers,
  });
  const seconds = new Histogram({
    name: "earshot_local_api_answer_seconds",
    help: "Time until an answer was sent, by call.",
    labelNames: ["method", "call"],
    buckets: BUCKETS_S,
    registers,
  });
  new Gauge({
    name: "earshot_local_api_database_connections",
    help: "Connections to PostgreSQL: open, idle, and requests that wait for one.",
    labelNames: ["state"],
    registers,
    collect() {
      this.set({ state: "open" }, pool.totalCount);
      this.set({ state: "idle" }, pool.idleCount);
      this.set({ state: "waiting" }, pool.waitingCount);
    },
  });
  new Gauge({
    name: "earshot_local_api_loop_delay_seconds",
    help: `How late the event loop was at most during the last ${LOOP_SECONDS} seconds.`,
    registers,
    collect() {
      this.set(loopDelay(LOOP_SECONDS).maxMs / SECOND);
    },
  });
  new Gauge({
    name: "earshot_local_api_memory_bytes",
    help: "Resident memory of the process.",
    registers,
    collect() {
      this.set(process.memoryUsage().rss);
    },
  });
  loopDelay(LOOP_SECONDS);
  return {
    watch(app) {
      app.addHook("onResponse", async (request, reply) => {
        const { method } = request;
        const call = request.routeOptions.url ?? "unknown";
        answers.inc({ method, call, status: reply.statusCode });
        seconds.observe({ method, call }, reply.elapsedTime / SECOND);
      });
    },
    read: () => registry.metrics(),
  };
}
