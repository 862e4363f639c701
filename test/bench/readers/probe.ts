import { get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs } from "../../../src/lib/clock.ts";

/** Asks `/healthz` again and again, in a process of its own: a crowd that is late must not make the console look late. */
const [, , url = ""] = process.argv;
const PROBES_MS = 100;

export interface ProbeReport {
  readonly probes: number;
  readonly worstMs: number;
  /** When the worst began, since the first. */
  readonly worstAfterMs: number;
  /** How late this process was itself at most: the console is not to blame for it. */
  readonly ownDelayMs: number;
  readonly failed: number;
}

const startedAt = monotonicMs();
let [probes, worstMs, worstAfterMs, ownDelayMs, failed] = [0, 0, 0, 0, 0];

function ask(): Promise<number> {
  return new Promise((resolve) => {
    const request = get(`${url}/healthz`, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode ?? 0));
      answer.on("error", () => resolve(0));
    });
    request.on("error", () => resolve(0));
  });
}

let askedAt = startedAt;
let isAsking = false;

/** A probe that is still open at the end counts, too. */
function note(): void {
  const tookMs = monotonicMs() - askedAt;
  if (tookMs <= worstMs) return;
  worstMs = tookMs;
  worstAfterMs = askedAt - startedAt;
}

async function probe(): Promise<void> {
  for (;;) {
    askedAt = monotonicMs();
    isAsking = true;
    probes++;
    if ((await ask()) !== 200) failed++;
    note();
    isAsking = false;
    const restsAt = monotonicMs();
    await delay(PROBES_MS);
    ownDelayMs = Math.max(ownDelayMs, monotonicMs() - restsAt - PROBES_MS);
  }
}

process.once("disconnect", () => process.exit(0));
process.once("message", () => {
  if (isAsking) note();
  const report: ProbeReport = { probes, worstMs, worstAfterMs, ownDelayMs, failed };
  process.send?.(report, () => process.exit(0));
});
void probe();
process.send?.("begun");
