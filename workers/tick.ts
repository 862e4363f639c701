// Closes windows: judges the buckets that are complete, and looks again at decisions whose time has come.

// Before the rest is read, so that stack traces name lines of the sources.
process.setSourceMapsEnabled(true);

const { runWorker } = await import("../src/app/run-worker.ts");
await runWorker("tick", process);

export {};
