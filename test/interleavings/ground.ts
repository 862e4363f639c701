import type { Sandbox } from "../crash-points/sandbox.ts";
import type { Stage } from "../crash-points/stage.ts";
import { type KeptRows, keepRows, openKeptRows } from "./rows.ts";

/** The tables of a scene and everybody outside, as they are where its pairs begin. */
export interface Ground {
  /**
   * `copy`: the database is made anew, and connections to it break. `rows`: they stay, unless tables were made or dropped.
   * Gives what was done.
   */
  reset(to: Reset): Promise<Reset>;
  close(): Promise<void>;
}

export type Reset = "copy" | "rows";

/** Stores the database of a sandbox, where nobody is connected to it, and its vendors. */
export async function openGround(parts: {
  readonly stage: Stage;
  readonly sandbox: Sandbox;
  readonly scene: string;
}): Promise<Ground> {
  const { stage, sandbox, scene } = parts;
  await keepRows(stage.urlOf(sandbox.database));
  const opening = await sandbox.keep(`interleavings_${scene.replaceAll(" ", "_")}`);
  let rows: KeptRows | null = null;
  const close = async (): Promise<void> => {
    await rows?.close();
    rows = null;
  };
  return {
    reset: async (to) => {
      if (to === "rows" && rows !== null) {
        let isBack = false;
        const kept = rows;
        await sandbox.rewind(opening, async () => {
          isBack = await kept.putBack();
        });
        if (isBack) return "rows";
      }
      await close();
      await sandbox.reset(opening);
      rows = await openKeptRows(stage.superuserUrlOf(sandbox.database));
      return "copy";
    },
    close,
  };
}
