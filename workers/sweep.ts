// Finds due work in the tables and adds jobs for it; asks the source which queries there are.

// Before the other imports, so that stack traces name lines of the sources.
process.setSourceMapsEnabled(true);

const { runWorker } = await import("../src/app/run-worker.ts");
await runWorker("sweep", process);

export {};
