import { runWorker } from "../src/app/run-worker.ts";

// Finds due work in the tables and reminds the other workers of it; asks the source which queries there are.
await runWorker("sweep", process);
