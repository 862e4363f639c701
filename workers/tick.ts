// Closes windows: evaluates complete buckets, and makes the notification decisions that are due.

const { nameSourceLines } = await import("../src/lib/source-lines.ts");
nameSourceLines();
const { runWorker } = await import("../src/app/run-worker.ts");
await runWorker("tick", process);

export {};
