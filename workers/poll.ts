// Polls queries: reads new and changed mentions, page by page.

// Before the other imports, so that stack traces name lines of the sources.
process.setSourceMapsEnabled(true);

const { runWorker } = await import("../src/app/run-worker.ts");
await runWorker("poll", process);

export {};
