import { readFileSync } from "node:fs";
import { runWorker } from "../../src/app/run-worker.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { ROLES } from "../../src/monitor/roles.ts";

/**
 * A shipped worker whose clock shows another hour, so that events of certain hours happen in every run. A file has the
 * hour, which is set once more when all workers run.
 */
const given = process.argv[2]?.split(" ") ?? [];
const roles = ROLES.filter((role) => given.includes(role));
if (roles.length === 0 || roles.length < given.length)
  throw new Error(`not all are roles: ${given.join(" ")}`);
const read = (): number => Number(readFileSync(process.env["CHAOS_SHIFT_FILE"] ?? "", "utf8"));
let shiftMs = read();
setInterval(() => {
  shiftMs = read() || shiftMs;
}, 100).unref();
await runWorker(roles, process, { now: () => systemClock.now() + shiftMs, speed: 1 });
