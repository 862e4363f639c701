import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { UserError, whyUnread } from "../lib/errors.ts";
import { describeFault, type Issue } from "../lib/fault.ts";
import { byPlace, readYaml } from "../lib/read-yaml.ts";
import { fillSecrets, withoutFilled } from "./fill-secrets.ts";

/**
 * Reads a YAML file, or the part of it under `key`. Throws one UserError with all faults, each with file, line and what
 * was expected. Replaces `${NAME}` in a text by that environment variable; `password_file: path` sets `password` to the
 * content of a file. `parse` adds the issues that it finds, and then returns undefined.
 */
export async function readConfig<Parsed>(
  file: string,
  env: NodeJS.ProcessEnv,
  parse: (content: unknown, issues: Issue[]) => Parsed | undefined,
  key?: string,
): Promise<Parsed> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UserError(`${file} cannot be read: ${whyUnread(error)}`);
  });
  const yaml = readYaml(file, text);
  const issues: Issue[] = [];
  const filling = { env, folder: dirname(file), issues, filled: new Map<string, string>() };
  const content =
    key === undefined
      ? await fillSecrets(yaml.content, [], filling)
      : await fillSecrets(partOf(yaml.content, key), [key], filling);
  const parsed = yaml.faults.length > 0 ? undefined : parse(content, issues);
  const masked = issues.map((issue) => ({ ...issue, message: withoutFilled(issue.message, filling.filled) }));
  const faults = [...yaml.faults, ...masked.map(yaml.locate)].sort(byPlace);
  if (parsed === undefined || faults.length > 0) {
    throw new UserError(
      `${file} has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}`,
      faults.map(describeFault),
    );
  }
  return parsed;
}

function partOf(content: unknown, key: string): unknown {
  return typeof content === "object" && content !== null
    ? Object.entries(content).find(([name]) => name === key)?.[1]
    : undefined;
}
