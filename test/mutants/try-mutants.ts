import type { MutatedFile } from "./find-mutants.ts";
import type { Player } from "./play.ts";

/** `by`: the test that failed with it. */
export type Fate =
  | { readonly fate: "Killed"; readonly by: string }
  /** `NotTried`: it needs a process of its own, and the run was to be quick. */
  | { readonly fate: "Survived" | "NotReached" | "NotTried" | "Invalid" };

export interface TriedMutants {
  readonly fates: ReadonlyMap<number, Fate>;
  /** Tests that fail when they run again. What only they reach needs a process of its own. */
  readonly notTwice: ReadonlySet<string>;
}

/**
 * The result of each. First all in one process; then, each in a process of its own, those that some test reaches before it
 * begins, since they were asked too late to make a difference, or that a test reaches that cannot run twice.
 */
export async function tryMutants(
  player: Player,
  files: readonly MutatedFile[],
  tests: readonly string[],
  { isQuick, onCold }: { readonly isQuick: boolean; readonly onCold: (done: number, of: number) => void },
): Promise<TriedMutants> {
  const chosen = files.flatMap(({ mutants }) => mutants);
  const lines = await player.playWarm(
    chosen.map(({ id }) => id),
    tests,
  );
  const fates = new Map<number, Fate>(chosen.map(({ id }) => [id, { fate: "NotReached" }]));
  const before = new Set<number>();
  const inside = new Set<number>();
  const testsReaching = new Map<string | number, Set<string>>();
  const fileOf = new Map(files.flatMap(({ file, mutants }) => mutants.map(({ id }) => [id, file])));
  const notTwice = new Set(lines.flatMap((line) => (line.kind === "NotTwice" ? [line.test] : [])));
  for (const line of lines)
    if (line.kind === "Outside" || line.kind === "Reached")
      for (const id of line.ids) {
        if (fates.get(id)?.fate === "NotReached") fates.set(id, { fate: "Survived" });
        if (line.kind === "Outside" || notTwice.has(line.test)) before.add(id);
        if (line.kind === "Reached") inside.add(id);
        for (const of of [id, fileOf.get(id) ?? ""])
          testsReaching.set(of, (testsReaching.get(of) ?? new Set()).add(line.test.split(":", 1)[0] ?? ""));
      }
  for (const line of lines) {
    if (line.kind === "Killed") fates.set(line.id, { fate: "Killed", by: line.test });
    if (line.kind === "Invalid") fates.set(line.id, { fate: "Invalid" });
  }
  const cold = chosen.filter(({ id }) => before.has(id) && fates.get(id)?.fate === "Survived");
  for (const [index, { id, file }] of cold.entries()) {
    if (isQuick) {
      fates.set(id, { fate: "NotTried" });
      continue;
    }
    onCold(index, cold.length);
    // What is computed when its file is loaded is asked once, in the first test that loads it.
    const by = await player.playCold(id, [...(testsReaching.get(inside.has(id) ? id : file) ?? [])]);
    if (by !== null) fates.set(id, { fate: "Killed", by });
  }
  return { fates, notTwice };
}
