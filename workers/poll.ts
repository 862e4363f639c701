// Walks queries: new and changed mentions come in here, page by page.

// Before the rest is read, so that stack traces name lines of the sources.
process.setSourceMapsEnabled(true);

const { runWorker } = await import("../src/app/run-worker.ts");
await runWorker("poll", process);

export {};
