import { existsSync } from "node:fs";
import { resolve } from "node:path";
import {
  accountOf,
  loadRules,
  namedQueries,
  openTemplates,
  type Renderer,
  startEmbeddedPostgres,
} from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { describeError, describeFault, UserError } from "../../lib/errors.ts";
import { shippedFolder } from "../../lib/folders.ts";
import type { Logger } from "../../lib/log.ts";
import { counted } from "../../lib/numbers.ts";
import { fitsGlob } from "../../lib/patterns.ts";
import { type Config, loadConfig } from "../config/config.ts";
import type { Environment } from "../config/environment.ts";
import { findConcerns } from "../config/find-concerns.ts";
import { alertsOf, unknownNamesIn } from "../config/unknown-names-in.ts";
import { openShellBudget } from "../open/shell-budget.ts";
import { checkDatabase } from "./check-database.ts";
import { checkPipeline } from "./check-pipeline.ts";
import { checkReceivers } from "./check-receivers.ts";
import { checkRedis } from "./check-redis.ts";
import { checkSource } from "./check-source.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

interface DoctorInput {
  readonly environment: Environment;
  readonly env: NodeJS.ProcessEnv;
  readonly file: string;
  /** The clock of the domain: the time of what runs on the database. */
  readonly clock: Clock;
  readonly log: Logger;
}

/** Checks everything that Earshot needs. A missing part does not stop the other checks. */
export async function doctor(examination: DoctorInput): Promise<readonly Finding[]> {
  const { environment, clock, log } = examination;
  const { config, findings } = await configuration(examination);
  const templates = await examineTemplates(config?.templates ?? shippedFolder("templates"));
  const database = withDatabase(environment, clock, log);
  const groups = await Promise.all([
    findings,
    examineRules(config?.rules ?? shippedFolder("rules"), { file: examination.file, config }),
    templates.findings,
    // One after the other, because both may start the embedded PostgreSQL.
    config === null ? [] : database.then(() => examineSources(config, environment, log)),
    database,
    environment.redisUrl === null
      ? [ok("queue", "on the same PostgreSQL (no REDIS_URL)")]
      : checkRedis(environment.redisUrl),
    config === null || templates.renderer === null
      ? []
      : config.usesLocalInbox
        ? [ok("receivers", "none named: messages go to the Inbox of the console, on this machine")]
        : checkReceivers(config.receivers, { renderer: templates.renderer, log }),
  ]);
  return groups.flat();
}

/** Calls of the account count against its stored budget, if there is one. */
async function examineSources(
  config: Config,
  environment: Environment,
  log: Logger,
): Promise<readonly Finding[]> {
  const { sources, listen } = config;
  const source = sources.find(({ name }) => name === "account");
  const feeds =
    listen === null
      ? []
      : [
          ok(
            source === undefined ? "source" : "feeds",
            `our own Listening API, with ${counted(listen.queries.length, "query", "queries")}; earshot feeds shows what they bring`,
          ),
        ];
  if (source === undefined) return feeds;
  // A folder that cannot be read is reported with the rules.
  const { rules } = await loadRules(config.rules).catch(() => ({ rules: [] }));
  const isListened = (pattern: string) =>
    listen?.queries.some(({ name }) => fitsGlob(pattern, name)) === true;
  const named = namedQueries(config, rules.map(alertsOf)).filter(
    ({ pattern }) => pattern !== "*" && !isListened(pattern),
  );
  const account = accountOf(source);
  const budget = await openShellBudget(environment, { account, timeoutMs: source.timeout, log });
  try {
    return [...(await checkSource(source, named, budget?.gate)), ...feeds];
  } finally {
    await budget?.close();
  }
}

async function configuration({
  file,
  env,
}: DoctorInput): Promise<{ config: Config | null; findings: Finding[] }> {
  if (!existsSync(file)) {
    const advice = "Copy earshot.example.yaml to it; without it, earshot start shows a demo.";
    return { config: null, findings: [warn("configuration", `there is no ${file}`, advice)] };
  }
  try {
    const config = await loadConfig(file, env);
    const { receivers, routes, digests } = config;
    const found = `${file}: ${counted(receivers.length, "receiver")}, ${counted(routes.length, "route")}, ${counted(digests.length, "digest")}`;
    const concerns = (await findConcerns(file, config)).map(({ what, found, advice }) =>
      warn(what, found, advice),
    );
    return { config, findings: [ok("configuration", found), ...concerns] };
  } catch (error) {
    const details = error instanceof UserError ? error.details : [];
    const faults = details.length > 0 ? details : [describeError(error)];
    return {
      config: null,
      findings: faults.map((line) => fail("configuration", line, "Fix it; earshot check lists every fault.")),
    };
  }
}

async function examineRules(
  folder: string,
  { file, config }: { readonly file: string; readonly config: Config | null },
): Promise<readonly Finding[]> {
  try {
    const { rules, faults, warnings } = await loadRules(folder);
    if (faults.length > 0)
      return faults.map((fault) => fail("rules", describeFault(fault), "Fix the rule file."));
    const unknownNames = config === null ? [] : await unknownNamesIn(file, config, rules);
    return [
      rules.length === 0
        ? warn("rules", `there are none in ${folder}`, "Without rules nothing alerts.")
        : ok("rules", `${rules.length} in ${folder}`),
      ...warnings.map((fault) => warn("rules", describeFault(fault), "Earshot works with it, but slowly.")),
      ...unknownNames.map((fault) =>
        fail("configuration", describeFault(fault), "Fix it: it has no effect as it is."),
      ),
    ];
  } catch (error) {
    const advice = 'Name the folder with "rules" in earshot.yaml, or copy the shipped folder rules/ to it.';
    return [fail("rules", describeError(error), advice)];
  }
}

async function examineTemplates(
  folder: string,
): Promise<{ renderer: Renderer | null; findings: readonly Finding[] }> {
  try {
    const renderer = await openTemplates(folder);
    const faults = renderer.check();
    const findings = faults.map((fault) => fail("templates", fault, "Fix the template."));
    return { renderer, findings: faults.length > 0 ? findings : [ok("templates", `valid, in ${folder}`)] };
  } catch (error) {
    return { renderer: null, findings: [fail("templates", describeError(error), "Is the folder there?")] };
  }
}

async function withDatabase(
  { databaseUrl, home }: Environment,
  clock: Clock,
  log: Logger,
): Promise<readonly Finding[]> {
  if (databaseUrl !== null) return lookAt(databaseUrl, clock);
  const dataDir = resolve(home, "postgres");
  if (!existsSync(dataDir))
    return [ok("database", `no DATABASE_URL: earshot start makes a PostgreSQL of its own in ${home}`)];
  try {
    const embedded = await startEmbeddedPostgres({ dataDir, log, share: true });
    try {
      return await lookAt(embedded.url, clock);
    } finally {
      await embedded.stop();
    }
  } catch (error) {
    return [
      fail(
        "database",
        `the embedded PostgreSQL does not start: ${describeError(error)}`,
        `Check ${dataDir}.log.`,
      ),
    ];
  }
}

async function lookAt(url: string, clock: Clock): Promise<readonly Finding[]> {
  const findings = await checkDatabase(url);
  const isUpToDate = findings.some(({ what, state }) => what === "migrations" && state === "ok");
  return isUpToDate ? [...findings, ...(await checkPipeline(url, clock))] : findings;
}
