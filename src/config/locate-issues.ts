import { readFile } from "node:fs/promises";
import type { Fault, Issue } from "../lib/fault.ts";
import { byPlace, readYaml } from "../lib/read-yaml.ts";

/** Where in `earshot.yaml` issues stand that were found after it was read, beside the rules. */
export async function locateIssues(file: string, issues: readonly Issue[]): Promise<readonly Fault[]> {
  if (issues.length === 0) return [];
  const yaml = readYaml(file, await readFile(file, "utf8"));
  return issues.map(yaml.locate).sort(byPlace);
}
