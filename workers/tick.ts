import { runWorker } from "../src/app/run-worker.ts";

// Closes windows: judges the buckets that are complete, and looks again at decisions whose time has come.
await runWorker("tick", process);
