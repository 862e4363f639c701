import { runWorker } from "../src/app/run-worker.ts";

// Brings notifications to their receivers.
await runWorker("deliver", process);
