// Finds due work in the tables and adds jobs for it; asks the source which queries there are.

const { nameSourceLines } = await import("../src/lib/source-lines.ts");
nameSourceLines();
const { runWorker } = await import("../src/app/run-worker.ts");
await runWorker("sweep", process);

export {};
