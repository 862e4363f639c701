import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describeIssues } from "../lib/describe-issues.ts";
import { UserError, whyUnread } from "../lib/errors.ts";
import { describeFault, type Issue } from "../lib/fault.ts";
import { byPlace, readYaml } from "../lib/read-yaml.ts";
import { fillSecrets } from "./fill-secrets.ts";
import { SourceConfig } from "./source-config.ts";

/**
 * The part `source` of `earshot.yaml`, for commands that only ask the source: the rest of the file may be missing,
 * and secrets that it needs as well. Every fault is told at once, as a UserError.
 */
export async function loadSourceConfig(file: string, env: NodeJS.ProcessEnv): Promise<SourceConfig> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UserError(`${file} cannot be read: ${whyUnread(error)}`);
  });
  const yaml = readYaml(file, text);
  const issues: Issue[] = [];
  const filled = await fillSecrets(sourceIn(yaml.content), ["source"], {
    env,
    folder: dirname(file),
    issues,
  });
  const parsed = SourceConfig.safeParse(filled ?? {});
  if (!parsed.success) {
    const found = describeIssues(parsed.error, SourceConfig, filled ?? {});
    issues.push(...found.map((issue) => ({ ...issue, path: ["source", ...issue.path] })));
  }
  const faults = [...yaml.faults, ...(yaml.faults.length > 0 ? [] : issues.map(yaml.locate))].sort(byPlace);
  if (!parsed.success || faults.length > 0) {
    throw new UserError(
      `${file} has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}`,
      faults.map(describeFault),
    );
  }
  return parsed.data;
}

function sourceIn(content: unknown): unknown {
  return typeof content === "object" && content !== null && "source" in content ? content.source : undefined;
}
