import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Config, loadConfig, openPostgres, openScratchPostgres, readEnvironment } from "#admin";
import {
  findRuleTests,
  noteRuleTests,
  offlineConfig,
  openRuleTestRunner,
  type RuleTestResult,
  type RuleTestRunner,
  type RunOptions,
  withPlaceholders,
} from "#lab";
import { type Rule, ruleVersion, validRules, validTemplates } from "#monitor";
import { createClosing } from "../lib/closing.ts";
import { UserError } from "../lib/errors.ts";
import { shippedFolder } from "../lib/folders.ts";
import type { Logger } from "../lib/log.ts";
import { commandLog } from "./common/command-log.ts";

export interface RuleTestOptions {
  readonly config?: string | undefined;
  readonly rules?: string | undefined;
  readonly templates?: string | undefined;
  readonly update: boolean;
}

export interface RuleTests {
  /**
   * Runs these rule tests, or all beside the rules in use. Throws a UserError if the configuration, a rule or a template
   * has a fault, or if there is no test.
   */
  run(
    files: readonly string[],
    options: RuleTestOptions,
    how: Pick<RunOptions, "signal" | "onResult">,
  ): Promise<readonly RuleTestResult[]>;
  close(): Promise<void>;
}

/** Rule tests on a PostgreSQL that the first run opens. A second run begins with what the first one has prepared. */
export function createRuleTests(env: NodeJS.ProcessEnv): RuleTests {
  const log = commandLog({ LOG_LEVEL: "fatal", ...env });
  const closing = createClosing();
  let runner: RuleTestRunner | undefined;
  const open = async (): Promise<RuleTestRunner> => {
    const scratch = await openScratchPostgres(readEnvironment(env), log);
    closing.add(scratch.stop);
    const opened = await openRuleTestRunner(scratch.url);
    closing.add(opened.close);
    return opened;
  };
  return {
    run: async (files, options, how) => {
      const config = await configForTests(options, env, files);
      const rules = await validRules(config.rules);
      const renderer = await validTemplates(config.templates);
      const named = files.length > 0 ? files.map((file) => resolve(file)) : await findRuleTests(config.rules);
      if (named.length === 0)
        throw new UserError(`there are no rule tests in ${join(config.rules, "tests")}`, [
          "a test is a file tests/<name>.test.yaml beside the rules; earshot test --help shows one",
        ]);
      for (const file of named) if (!existsSync(file)) throw new UserError(`there is no file ${file}`);
      const versions = await versionsOf(config.rules, rules);
      runner ??= await open();
      const { update } = options;
      const results = await runner.run(named, { ...how, config, rules, renderer, update, log });
      if (isOwn(options, env)) await noteInMonitor(results, versions, env, log);
      return results;
    },
    close: closing.close,
  };
}

/** For the console of the monitor; without its tables on this machine there is none. */
async function noteInMonitor(
  results: readonly RuleTestResult[],
  versions: ReadonlyMap<string, string>,
  env: NodeJS.ProcessEnv,
  log: Logger,
): Promise<void> {
  const environment = readEnvironment(env);
  if (environment.databaseUrl === null && !existsSync(resolve(environment.home, "postgres"))) return;
  const server = await openPostgres(environment, log, { share: true });
  try {
    await noteRuleTests(server.url, results, versions, log);
  } finally {
    await server.stop();
  }
}

/** Whether the tested rules are those of the monitor, whose console shows the results. */
function isOwn({ config, rules }: RuleTestOptions, env: NodeJS.ProcessEnv): boolean {
  return rules === undefined && (config !== undefined || existsSync(readEnvironment(env).configFile));
}

/** The versions of the rules that are tested, by name. */
async function versionsOf(folder: string, rules: readonly Rule[]): Promise<ReadonlyMap<string, string>> {
  const read = async ({ name }: Rule) =>
    [name, ruleVersion(await readFile(join(folder, `${name}.yaml`), "utf8"))] as const;
  return new Map(await Promise.all(rules.map(read)));
}

/** The configuration in use, else that of the demo. Secrets are not needed: no vendor is called. */
export async function configForTests(
  options: RuleTestOptions,
  env: NodeJS.ProcessEnv,
  files: readonly string[] = [],
): Promise<Config> {
  const file = options.config ?? readEnvironment(env).configFile;
  const isConfigured = options.config !== undefined || existsSync(file);
  const config = isConfigured
    ? await loadConfig(file, withPlaceholders(env))
    : await offlineConfig({ rules: rulesOf(files), templates: shippedFolder("templates") });
  return {
    ...config,
    ...(options.rules !== undefined && { rules: resolve(options.rules) }),
    ...(options.templates !== undefined && { templates: resolve(options.templates) }),
  };
}

/** The rules beside the tests that are named: they are what a test in `rules/tests/` is about. */
function rulesOf(files: readonly string[]): string {
  const [first] = files;
  const folder = first === undefined ? null : dirname(dirname(resolve(first)));
  const isBeside = folder !== null && files.every((file) => dirname(dirname(resolve(file))) === folder);
  const hasRules =
    isBeside && existsSync(folder) && readdirSync(folder).some((name) => name.endsWith(".yaml"));
  return hasRules ? folder : shippedFolder("rules");
}
