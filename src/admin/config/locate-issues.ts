import { readFile } from "node:fs/promises";
import type { Fault, Issue } from "../../lib/errors.ts";
import { byPlace, readYaml } from "../../lib/read-yaml.ts";

/** Locates issues in `earshot.yaml` that were found later, together with the rules. */
export async function locateIssues(file: string, issues: readonly Issue[]): Promise<readonly Fault[]> {
  if (issues.length === 0) return [];
  const yaml = readYaml(file, await readFile(file, "utf8"));
  return issues.map(yaml.locate).sort(byPlace);
}
