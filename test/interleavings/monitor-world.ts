import { parseConfig } from "../../src/admin/config/config.ts";
import type { PngRenderer } from "../../src/monitor/charts/png-renderer.ts";
import type { Rule } from "../../src/monitor/rules/rule.ts";
import { openTemplates } from "../../src/monitor/templates/open-templates.ts";
import { readEnding } from "../crash-points/facts.ts";
import type { Sandbox } from "../crash-points/sandbox.ts";
import { EMPTY, type Stage } from "../crash-points/stage.ts";
import { storyTime } from "../flows/story-time.ts";
import type { World } from "./play.ts";
import { openProcess, type Process } from "./process.ts";
import type { Scene } from "./scenes.ts";

/** Plays what comes before the pairs of a scene of the monitor, and stores where they begin. */
export async function openMonitorWorld(
  stage: Stage,
  sandbox: Sandbox,
  scene: Scene,
  shared: { readonly rules: readonly Rule[]; readonly pictures: PngRenderer },
): Promise<World<Process>> {
  const { queries, config = {} } = scene;
  const source = { overlap: "0s", lookback: "1h", settle: "0s", queries };
  const parsed = await parseConfig(sandbox.configOf({ name: "", config }, source));
  const files = {
    ...{ config: parsed, rules: shared.rules, renderer: await openTemplates(parsed.templates) },
  };
  const { databaseUrl } = sandbox.engines("nothing");
  const open = (port: number): Promise<Process> => {
    const url = new URL(databaseUrl);
    url.port = String(port);
    const { pictures } = shared;
    return openProcess({ files, pictures, databaseUrl: url.href, clock: sandbox.clock });
  };

  await sandbox.reset(EMPTY, { inbox: [] });
  sandbox.clock.set(storyTime(scene.from));
  const process = await open(stage.postgresPort);
  await process.version.refreshQueries();
  await process.settle();
  for (const moment of scene.settled ?? []) {
    sandbox.clock.set(storyTime(moment));
    await process.settle();
  }
  await process.close();
  // Its worker is not started: nothing follows from what it does now.
  const before = await open(stage.postgresPort);
  for (const one of scene.first ?? []) {
    const [moment, task] = "prepare" in one ? [scene.at, one] : one;
    sandbox.clock.set(storyTime(moment));
    await (await task.prepare(before, before))(before);
  }
  await before.close();
  const template = await keepAsTemplate(stage, sandbox, scene.name);
  const outside = await sandbox.outside();
  return {
    database: sandbox.database,
    reset: async () => {
      await sandbox.reset(template, outside);
      sandbox.clock.set(storyTime(scene.at));
    },
    open,
    settle: (one) => one.settle(),
    read: async () => (await readEnding(sandbox, stage.urlOf(sandbox.database))).lines,
  };
}

/** A copy of the database as it is now, from which others are made. Gives its name. */
export async function keepAsTemplate(stage: Stage, { database }: Sandbox, scene: string): Promise<string> {
  const template = `interleavings_${scene.replaceAll(" ", "_")}`;
  await stage.administrate(`drop database if exists ${template} with (force)`);
  await stage.administrate(`create database ${template} template ${database}`);
  return template;
}
