import type { RunningProcess } from "../../../src/monitor/model/process.ts";

/** A process that runs version `1a1a1a1a1a`, with the changes of a test. */
export function aProcess(changes: Partial<RunningProcess> = {}): RunningProcess {
  return {
    ...{ id: "p1", host: "web-1", pid: 12, roles: ["poll", "tick"], version: "1a1a1a1a1a" },
    ...{ startedAt: 0, since: 0, refused: null, answered: null, loop: { meanMs: 2, maxMs: 40 } },
    ...changes,
  };
}
