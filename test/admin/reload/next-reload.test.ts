import { expect, test } from "vitest";
import { judgeFiles, nextReload, type ReloadState } from "../../../src/admin/reload/next-reload.ts";

const request = { id: "r1", version: "v2", at: 0 };
const STATE: ReloadState = {
  ...{ version: "v1", answered: "r1", refused: null, isReloading: false },
  ...{ hangUps: 3, digest: "d1", lookAt: 5_000 },
};
const QUIET = { hangUps: 3, request: null };

test.each<[string, Partial<ReloadState>, Partial<Parameters<typeof nextReload>[1]>, number, string]>([
  ["nobody asks", {}, {}, 9_000, "Wait"],
  ["a signal", {}, { hangUps: 4 }, 0, "ReloadForSignal"],
  ["a thousand signals are one reload", {}, { hangUps: 1_003 }, 0, "ReloadForSignal"],
  [
    "signals while a reload runs wait for it",
    { isReloading: true },
    { hangUps: 1_003, request },
    9_000,
    "Wait",
  ],
  ["a request", { answered: null }, { request }, 0, "ReloadForRequest"],
  ["a signal goes before a request", { answered: null }, { hangUps: 4, request }, 0, "ReloadForSignal"],
  ["a request that was answered, and its version runs", { version: "v2" }, { request }, 9_000, "Wait"],
  ["its files were not here a moment ago", {}, { request }, 4_999, "Wait"],
  ["its files may be here now", {}, { request }, 5_000, "LookAtFiles"],
])("%s", (_, state, seen, now, outcome) => {
  expect(nextReload({ ...STATE, ...state }, { ...QUIET, ...seen }, now).outcome).toBe(outcome);
});

const here = { digest: "d2", version: "v2" };
const others = { digest: "d3", version: "v3" };
const faults = { faults: ["a fault"], filesAre: null };

test("files that came later are loaded once", () => {
  expect(judgeFiles(STATE, request, here, "v2")).toEqual({ refused: null, reloads: true });
  expect(judgeFiles({ ...STATE, digest: "d2" }, request, here, "v2").reloads).toBe(false);
});

test("other files than were asked for are a reason, unless faults are one, or nobody asks for that version any more", () => {
  const refused = judgeFiles(STATE, request, others, "v2");
  expect(refused).toMatchObject({ reloads: false, refused: { filesAre: "v3" } });
  expect(refused.refused?.faults).toEqual([expect.stringMatching(/version v3, and v2 was asked for/)]);
  expect(judgeFiles({ ...STATE, refused: faults }, request, others, "v2").refused).toBe(faults);
  expect(judgeFiles(STATE, request, others, "v4")).toEqual({ refused: null, reloads: false });
});
