// Closes windows: evaluates complete buckets, and makes the notification decisions that are due.

// Before the other imports, so that stack traces name lines of the sources.
process.setSourceMapsEnabled(true);

const { runWorker } = await import("../src/app/run-worker.ts");
await runWorker("tick", process);

export {};
