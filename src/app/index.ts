// The door: what other rooms use of the wiring, a line for each file. Code stands behind it.

export { assemble } from "./assemble.ts";
export type { ConsoleOrder } from "./console-order.ts";
export { openDemo, openDemoConsole } from "./open-demo.ts";
export { openMonitor } from "./open-monitor.ts";
export { openReplay } from "./open-replay.ts";
