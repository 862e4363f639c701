import { ROLES } from "../../src/app/roles.ts";
import { runWorker } from "../../src/app/run-worker.ts";
import { systemClock } from "../../src/lib/clock.ts";

/** A worker as the shipped ones, whose clock shows another hour: what happens at certain hours happens in every run. */
const role = ROLES.find((one) => one === process.argv[2]);
if (role === undefined) throw new Error(`there is no role ${process.argv[2]}`);
const shiftMs = Number(process.env["CHAOS_SHIFT_MS"]);
await runWorker(role, process, { now: () => systemClock.now() + shiftMs, speed: 1 });
