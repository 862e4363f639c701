import { resolve } from "node:path";
import { describeFault, UserError } from "../lib/errors.ts";
import { shippedFolder } from "../lib/folders.ts";
import { counted } from "../lib/numbers.ts";
import { openTemplates } from "./open-templates.ts";
import { loadRules } from "./rules/load-rules.ts";
import type { Rule } from "./rules/rule.ts";
import type { Renderer } from "./templates/create-renderer.ts";

/** The rules of a folder. Rejects with a UserError that names every fault. */
export async function validRules(folder: string): Promise<readonly Rule[]> {
  const { rules, faults } = await loadRules(folder);
  if (faults.length > 0) {
    throw new UserError(
      `the rules in ${folder} have ${counted(faults.length, "fault")}`,
      faults.map(describeFault),
    );
  }
  return rules;
}

/**
 * The templates of a folder, each tried with every sample. Rejects with a UserError that names every fault. It takes
 * some tenths of a second, so only processes that send call it.
 */
export async function validTemplates(folder: string): Promise<Renderer> {
  const renderer = await openTemplates(folder);
  // The shipped ones were tried before the release.
  if (resolve(folder) === resolve(shippedFolder("templates"))) return renderer;
  const faults = renderer.check();
  if (faults.length > 0)
    throw new UserError(`the templates in ${folder} have ${counted(faults.length, "fault")}`, faults);
  return renderer;
}
