import { parseConfig } from "../../src/admin/config/config.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import type { PngRenderer } from "../../src/monitor/charts/png-renderer.ts";
import type { Rule } from "../../src/monitor/rules/rule.ts";
import { openDatabase } from "../../src/monitor/store/database.ts";
import { openTemplates } from "../../src/monitor/templates/open-templates.ts";
import { readEnding } from "../crash-points/facts.ts";
import { BEGINNING, type Sandbox } from "../crash-points/sandbox.ts";
import type { Stage } from "../crash-points/stage.ts";
import { storyTime } from "../flows/story-time.ts";
import type { Connections } from "./connections.ts";
import { openGround } from "./ground.ts";
import type { World } from "./play.ts";
import { openProcess, type Process } from "./process.ts";
import { accountOf, type Scene } from "./scenes.ts";
import { keepGroupsOnce, writeToAccount } from "./tasks.ts";

/** Plays what comes before the pairs of a scene of the monitor, and stores where they begin. */
export async function openMonitorWorld(
  stage: Stage,
  sandbox: Sandbox,
  scene: Scene,
  shared: { readonly rules: readonly Rule[]; readonly pictures: PngRenderer },
): Promise<World<Process>> {
  const { queries, config = {} } = scene;
  const source = { overlap: "0s", lookback: "1h", settle: "0s", queries, ...scene.source };
  const parsed = await parseConfig(sandbox.configOf({ name: "", config }, source));
  const files = {
    ...{ config: parsed, rules: shared.rules, renderer: await openTemplates(parsed.templates) },
  };
  const { pictures } = shared;
  const connect = (url: string): Connections<Process> => {
    const database = openDatabase({ url, connections: 12, onError: () => {} });
    return {
      open: () => openProcess({ files, pictures, database, clock: sandbox.clock }),
      // Only what was lent has used it: Kysely would not close it.
      close: () => database.pool.end(),
    };
  };

  await sandbox.reset(BEGINNING);
  if (scene.account !== undefined) await sandbox.openAccount(accountOf([scene], scene.account));
  sandbox.clock.set(storyTime(scene.from));
  const connections = connect(stage.urlOf(sandbox.database));
  const process = await connections.open();
  await process.version.refreshQueries();
  await process.settle();
  for (const moment of scene.settled ?? []) {
    sandbox.clock.set(storyTime(moment));
    await process.settle();
  }
  await process.close();
  // Its worker is not started: nothing follows from what it does now.
  const before = await connections.open();
  for (const one of scene.first ?? []) {
    const [moment, task] = "prepare" in one ? [scene.at, one] : one;
    sandbox.clock.set(storyTime(moment));
    await (await task.prepare(before, before))(before);
  }
  await before.close();
  await connections.close();
  const ground = await openGround({ stage, sandbox, scene: scene.name });
  return {
    reset: async (to) => {
      const done = await ground.reset(to);
      sandbox.clock.set(storyTime(scene.at));
      return done;
    },
    connect,
    settle: async (one) => {
      let waitedS = await one.settle();
      while ((await writeToAccount(one)) === "Written");
      if (scene.source !== undefined && "writeCorrections" in scene.source) {
        // What was written comes back with the next poll, whichever of two wrote it.
        sandbox.clock.advance(5 * MINUTE);
        waitedS += await one.settle();
      }
      // A change whose answer is not known is looked for two minutes later.
      for (let turn = 0; scene.account?.rateLimit !== undefined && turn < MOST_TURNS; turn++) {
        sandbox.clock.advance(2 * MINUTE);
        await keepGroupsOnce(one);
      }
      return waitedS;
    },
    read: async (database) => (await readEnding(sandbox, database)).lines,
    close: ground.close,
  };
}

const MOST_TURNS = 4;
