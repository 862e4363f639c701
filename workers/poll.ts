// Polls queries: reads new and changed mentions, page by page.

const { nameSourceLines } = await import("../src/lib/source-lines.ts");
nameSourceLines();
const { runWorker } = await import("../src/app/run-worker.ts");
await runWorker("poll", process);

export {};
