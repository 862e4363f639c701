import type { Command } from "commander";
import { findProject } from "../../../local-api/account/find-project.ts";
import { putTag } from "../../../local-api/store/tags.ts";
import { printOutcome } from "../print.ts";
import { withTables } from "../with-tables.ts";
import { type InProject, inProject } from "./in-project.ts";

export function addTag(create: Command, env: NodeJS.ProcessEnv): void {
  inProject(create.command("tag <name>").description("A label for mentions.")).action(
    (name: string, options: InProject) =>
      withTables(env, async ({ db }) => {
        const project = await findProject(db, options);
        const id = await putTag(db, project.id, name);
        printOutcome({ id, name }, `Tag ${id}, ${JSON.stringify(name)}.`, options);
      }),
  );
}
