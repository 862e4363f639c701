import { readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { whyUnread } from "../lib/errors.ts";
import type { Issue } from "../lib/fault.ts";

type Path = readonly (string | number)[];

export interface Filling {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly issues: Issue[];
  /** What was filled in, and how the file names it: no fault repeats it. */
  readonly filled: Map<string, string>;
}

/** A message without what was filled in: with the name of it in its place. Short values are no secrets. */
export function withoutFilled(message: string, filled: Filling["filled"]): string {
  let told = message;
  for (const [value, name] of filled)
    for (const shown of [value, value.slice(0, 60)])
      if (shown.length >= 4) told = told.replaceAll(shown, () => name);
  return told;
}

/** `${NAME}` and `…_file` anywhere in a configuration become what they stand for; what cannot be read is an issue. */
export async function fillSecrets(value: unknown, path: Path, filling: Filling): Promise<unknown> {
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
    issues.push({ path, message: `the secret cannot be read from ${place}: ${whyUnread(error)}` });
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
    issues.push({ path, message: `the environment has no variable ${name}` });
    return whole;
  });
}
