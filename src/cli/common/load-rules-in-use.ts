import { existsSync } from "node:fs";
import { type Config, loadConfig, readEnvironment } from "#admin";
import { loadRules, type Rule } from "#monitor";
import { UserError } from "../../lib/errors.ts";
import { shippedFolder } from "../../lib/folders.ts";

/** Loads the rules of this folder, else of the configuration, else those that come with Earshot. */
export async function loadRulesInUse(env: NodeJS.ProcessEnv, folder?: string): Promise<readonly Rule[]> {
  const { rules } = await loadRules(folder ?? (await rulesFolder(env)));
  return rules;
}

/** The configured time zone; UTC where there is no configuration, or it cannot be read here. */
export async function timezoneInUse(env: NodeJS.ProcessEnv): Promise<string> {
  return (await configInUse(env))?.timezone ?? "UTC";
}

/** The configuration; null where there is none, or it cannot be read here. */
export async function configInUse(env: NodeJS.ProcessEnv): Promise<Config | null> {
  const file = readEnvironment(env).configFile;
  if (!existsSync(file)) return null;
  try {
    return await loadConfig(file, env);
  } catch (error) {
    // The shell may lack secrets that only the running Earshot has; commands then do without.
    if (error instanceof UserError) return null;
    throw error;
  }
}

async function rulesFolder(env: NodeJS.ProcessEnv): Promise<string> {
  const file = readEnvironment(env).configFile;
  if (!existsSync(file)) return shippedFolder("rules");
  return (await loadConfig(file, env)).rules;
}
