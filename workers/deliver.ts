// Sends notifications to their receivers.

const { nameSourceLines } = await import("../src/lib/source-lines.ts");
nameSourceLines();
// Before half of Earshot is read, so that a signal ends it in order at any time.
const { stopSignal } = await import("../src/lib/stop-signal.ts");
stopSignal();
const { runWorker } = await import("../src/app/run-worker.ts");
await runWorker(["deliver"], process);

export {};
