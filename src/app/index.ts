// The door: what other rooms use of the wiring, a line for each file. Code stands behind it.

export {
  CONSOLE_FLAG,
  type ConsoleNews,
  type ConsoleOrder,
  type ConsoleProcess,
  startConsoleProcess,
} from "./console-process.ts";
export { type Engines, openEngines } from "./engines.ts";
export { keepConsole } from "./keep-console.ts";
export { openPage, type Page } from "./open-console.ts";
export { withListening } from "./open-listening.ts";
export { type LocalTables, openLocalTables } from "./open-local-tables.ts";
