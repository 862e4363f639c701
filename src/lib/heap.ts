import { setFlagsFromString } from "node:v8";

/**
 * From now on V8 collects garbage when the heap has doubled; by itself it waits until it is up to four times as large. Pages
 * of mentions are much garbage: a backlog of a million takes 316 MB in place of 401, for some more work
 * (`test/bench/backlog.ts`).
 */
export function collectGarbageSooner(): void {
  setFlagsFromString("--heap-growing-percent=100");
}
