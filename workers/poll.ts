import { runWorker } from "../src/app/run-worker.ts";

// Walks queries: new and changed mentions come in here, page by page.
await runWorker("poll", process);
