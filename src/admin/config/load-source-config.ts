import { readFile } from "node:fs/promises";
import { SourceConfig } from "#monitor";
import { describeIssues } from "../../lib/describe-issues.ts";
import type { Issue } from "../../lib/errors.ts";
import { readYaml } from "../../lib/read-yaml.ts";
import { readConfig } from "./read-config.ts";

/** Whether the file names an account (`source`), and whether it listens to public feeds (`listen`). */
export async function partsOf(file: string): Promise<{ readonly source: boolean; readonly listen: boolean }> {
  const { content } = readYaml(file, await readFile(file, "utf8").catch(() => ""));
  const has = (key: string) => Reflect.get(Object(content), key) !== undefined;
  return { source: has("source"), listen: has("listen") };
}

/**
 * Reads the part `source` of `earshot.yaml`, for commands that only call the source: other parts and their secrets may
 * be missing. Throws one UserError with all faults.
 */
export function loadSourceConfig(file: string, env: NodeJS.ProcessEnv): Promise<SourceConfig> {
  return readConfig(file, env, parseSource, "source");
}

function parseSource(content: unknown = {}, issues: Issue[]): SourceConfig | undefined {
  const parsed = SourceConfig.safeParse(content);
  if (parsed.success) return parsed.data;
  const found = describeIssues(parsed.error, SourceConfig, content);
  issues.push(...found.map((issue) => ({ ...issue, path: ["source", ...issue.path] })));
  return undefined;
}
