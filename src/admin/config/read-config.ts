import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { describeFault, type Issue, UserError, whyUnread } from "../../lib/errors.ts";
import { byPlace, readYaml } from "../../lib/read-yaml.ts";

/**
 * Reads a YAML file, or the part of it under `key`. Throws one UserError with all faults, each with file, line and what
 * was expected. Replaces `${NAME}` in a text by that environment variable; `password_file: path` sets `password` to the
 * content of a file. `parse` adds the issues that it finds, and then returns undefined.
 */
export async function readConfig<Parsed>(
  file: string,
  env: NodeJS.ProcessEnv,
  parse: (content: unknown, issues: Issue[]) => Parsed | undefined | Promise<Parsed | undefined>,
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
  const parsed = yaml.faults.length > 0 ? undefined : await parse(content, issues);
  // What stands in place of a variable that is not set has no value to judge.
  const unset = new Set(issues.filter(({ isUnread }) => isUnread).map(({ path }) => JSON.stringify(path)));
  const toShow = issues.filter(({ path, isUnread }) => isUnread === true || !unset.has(JSON.stringify(path)));
  const masked = toShow.map((issue) => ({ ...issue, message: withoutFilled(issue.message, filling.filled) }));
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

type Path = readonly (string | number)[];

interface Filling {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly issues: Issue[];
  /** The filled-in values and their names in the file: no fault may print the values. */
  readonly filled: Map<string, string>;
}

/** Replaces filled-in values in a message by their names. Short values are no secrets. */
function withoutFilled(message: string, filled: Filling["filled"]): string {
  let masked = message;
  for (const [value, name] of filled)
    for (const shown of [value, value.slice(0, 60)])
      if (shown.length >= 4) masked = masked.replaceAll(shown, () => name);
  return masked;
}

/** Replaces `${NAME}` and `…_file` anywhere in a configuration by their values; reports what cannot be read. */
async function fillSecrets(value: unknown, path: Path, filling: Filling): Promise<unknown> {
  if (typeof value === "string") return fillVariables(value, path, filling);
  if (Array.isArray(value)) {
    return Promise.all(value.map((one, index) => fillSecrets(one, [...path, index], filling)));
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(async ([key, one]): Promise<[string, unknown]> => {
    const at = [...path, key];
    if (!key.endsWith("_file") || typeof one !== "string") return [key, await fillSecrets(one, at, filling)];
    return [key.slice(0, -"_file".length), await secretFrom(one, at, filling)];
  });
  return Object.fromEntries(await Promise.all(entries));
}

async function secretFrom(file: string, path: Path, { folder, issues, filled }: Filling): Promise<string> {
  const place = isAbsolute(file) ? file : join(folder, file);
  try {
    const secret = (await readFile(place, "utf8")).trim();
    filled.set(secret, `what ${file} holds`);
    return secret;
  } catch (error) {
    issues.push({
      path,
      message: `the secret cannot be read from ${place}: ${whyUnread(error)}`,
      isUnread: true,
    });
    return "unread";
  }
}

function fillVariables(text: string, path: Path, { env, issues, filled }: Filling): string {
  return text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) => {
    const found = env[name];
    if (found !== undefined && found !== "") {
      filled.set(found, whole);
      return found;
    }
    issues.push({ path, message: `the environment has no variable ${name}`, isUnread: true });
    return whole;
  });
}
