import type { Command } from "commander";
import { findProject } from "../../../local-api/account/find-project.ts";
import { putCategory } from "../../../local-api/store/categories.ts";
import { collect } from "../flags.ts";
import { printOutcome } from "../print.ts";
import { withTables } from "../with-tables.ts";
import { type InProject, inProject } from "./in-project.ts";

export function addCategory(create: Command, env: NodeJS.ProcessEnv): void {
  inProject(create.command("category <name>").description("A parent category with its subcategories."))
    .option("--child <name>", "a subcategory; repeat it for more", collect, [])
    .action((name: string, options: InProject & { child: readonly string[] }) =>
      withTables(env, async ({ db }) => {
        const project = await findProject(db, options);
        const made = await putCategory(db, project.id, { name, children: options.child });
        const children = made.children.map((child) => `${child.id} ${child.name}`).join(", ");
        printOutcome(
          made,
          `Category ${made.id}, ${JSON.stringify(name)}: ${children || "no subcategories"}.`,
          options,
        );
      }),
    );
}
