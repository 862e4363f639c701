// Finds due work in the tables and reminds the other workers of it; asks the source which queries there are.

// Before the rest is read, so that stack traces name lines of the sources.
process.setSourceMapsEnabled(true);

const { runWorker } = await import("../src/app/run-worker.ts");
await runWorker("sweep", process);

export {};
