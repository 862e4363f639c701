import { UserError } from "../lib/errors.ts";
import { describeFault } from "../lib/fault.ts";
import { shippedFolder } from "../lib/shipped-folder.ts";
import { loadRules } from "../rules/load-rules.ts";
import type { Rule } from "../rules/rule.ts";
import { createRenderer, type Renderer } from "../templates/create-renderer.ts";

/** The rules of a folder. Rejects with a UserError that names every fault. */
export async function soundRules(directory: string): Promise<readonly Rule[]> {
  const { rules, faults } = await loadRules(directory);
  if (faults.length > 0) {
    throw new UserError(`the rules in ${directory} have ${faults.length} faults`, faults.map(describeFault));
  }
  return rules;
}

/** The templates of a folder over the shipped ones. Rejects with a UserError that names every fault. */
export async function soundTemplates(directory: string): Promise<Renderer> {
  const renderer = await createRenderer({ directory, base: shippedFolder("templates") });
  const faults = renderer.check();
  if (faults.length > 0)
    throw new UserError(`the templates in ${directory} have ${faults.length} faults`, faults);
  return renderer;
}
