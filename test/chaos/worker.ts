import { readFileSync } from "node:fs";
import { runWorker } from "../../src/app/run-worker.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { ROLES } from "../../src/monitor/roles.ts";

/**
 * A shipped worker whose clock shows another hour, so that events of certain hours happen in every run. A file has the
 * hour, which is set once more when all workers run.
 */
const role = ROLES.find((one) => one === process.argv[2]);
if (role === undefined) throw new Error(`there is no role ${process.argv[2]}`);
const read = (): number => Number(readFileSync(process.env["CHAOS_SHIFT_FILE"] ?? "", "utf8"));
let shiftMs = read();
setInterval(() => {
  shiftMs = read() || shiftMs;
}, 100).unref();
await runWorker(role, process, { now: () => systemClock.now() + shiftMs, speed: 1 });
