import { describeIssues } from "../lib/describe-issues.ts";
import type { Issue } from "../lib/fault.ts";
import { readConfig } from "./read-config.ts";
import { SourceConfig } from "./source-config.ts";

/**
 * The part `source` of `earshot.yaml`, for commands that only ask the source: the rest of the file may be missing,
 * and secrets that it needs as well. Every fault is told at once, as a UserError.
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
