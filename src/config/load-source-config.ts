import { describeIssues } from "../lib/describe-issues.ts";
import type { Issue } from "../lib/errors.ts";
import { readConfig } from "./read-config.ts";
import { SourceConfig } from "./source-config.ts";

/** Whether the file has a `source`. Without it, Earshot polls its own Listening API. Throws if the file cannot be read. */
export function hasSource(file: string): Promise<boolean> {
  return readConfig(file, {}, (content) => ({ has: content !== undefined }), "source").then(
    ({ has }) => has,
    // A fault of it is reported by whoever reads it.
    () => true,
  );
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
