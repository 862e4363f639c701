import { describeFault, UserError } from "../../lib/errors.ts";
import { counted } from "../../lib/numbers.ts";
import { loadRules } from "./load-rules.ts";
import type { Rule } from "./rule.ts";

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
