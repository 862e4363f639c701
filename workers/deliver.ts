// Sends notifications to their receivers.

const { nameSourceLines } = await import("../src/lib/source-lines.ts");
nameSourceLines();
const { runWorker } = await import("../src/app/run-worker.ts");
await runWorker("deliver", process);

export {};
