import { runWorker } from "../src/app/run-worker.ts";

// Builds digests.
await runWorker("digest", process);
