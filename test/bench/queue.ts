import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { monotonicMs } from "../../src/lib/clock.ts";
import type { BackendOptions } from "../../src/monitor/queue/backend.ts";
import { createQueues } from "../../src/monitor/queue/queues.ts";
import { createWorker } from "../../src/monitor/queue/worker.ts";
import { startEmbeddedPostgres } from "../../src/monitor/store/embedded.ts";
import { idle } from "../idle.ts";
import { NO_REDIS, startRedis } from "../redis.ts";

/** `npx tsx test/bench/queue.ts`: jobs a second through add and handle, and from add to handle on an idle queue. */
const JOBS = 2_000;
const LOOKS = 50;
const log = pino({ level: "silent" });

const root = await mkdtemp(join(tmpdir(), "earshot-bench-"));
await chmod(root, 0o755);
const postgres = await startEmbeddedPostgres({ dataDir: join(root, "postgres"), log });
const redis = await startRedis();
try {
  await measure("PostgreSQL", { kind: "postgres", url: postgres.url, schema: "bench" });
  if (redis === null) console.log(NO_REDIS);
  else await measure("Redis", { kind: "redis", url: redis.url, prefix: "bench" });
} finally {
  await redis?.stop();
  await postgres.stop();
  await rm(root, { recursive: true, force: true });
}

async function measure(name: string, backend: BackendOptions): Promise<void> {
  const queues = await createQueues({ backend, log });
  const run = randomBytes(4).toString("hex");
  const payload = (n: number) => ({ notificationId: `${run}-${n}`, projectId: "1" });

  let handled = 0;
  let onJob = (): void => {};
  const worker = createWorker({
    queues,
    log,
    concurrency: { deliver: 20 },
    handlers: {
      deliver: async () => {
        handled++;
        onJob();
      },
    },
  });

  const addStart = monotonicMs();
  for (let n = 0; n < JOBS; n += 50) {
    const some = Array.from({ length: 50 }, (_, i) => payload(n + i));
    await Promise.all(some.map((one) => queues.add("deliver", one, { dedupe: one.notificationId })));
  }
  const addMs = monotonicMs() - addStart;

  const workStart = monotonicMs();
  await worker.start();
  await new Promise<void>((resolve) => {
    onJob = () => {
      if (handled === JOBS) resolve();
    };
  });
  const workMs = monotonicMs() - workStart;

  const latencies: number[] = [];
  for (let n = 0; n < LOOKS; n++) {
    await idle(queues, ["deliver"]);
    const start = monotonicMs();
    const taken = new Promise<void>((resolve) => {
      onJob = resolve;
    });
    await queues.add("deliver", payload(JOBS + n));
    await taken;
    latencies.push(monotonicMs() - start);
  }
  latencies.sort((a, b) => a - b);
  const at = (share: number): string => (latencies[Math.floor(share * (LOOKS - 1))] ?? 0).toFixed(1);
  const rate = (ms: number): string => String(Math.round((JOBS / ms) * 1_000));
  console.log(
    `${name}: ${rate(addMs)} jobs/s added (deduplicated), ${rate(workMs)} jobs/s handled; idle latency ${at(0.5)} ms median, ${at(0.95)} ms p95`,
  );
  await worker.stop();
  await queues.close();
}
