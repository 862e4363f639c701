import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Config } from "../../src/admin/config/config.ts";
import { offlineConfig } from "../../src/lab/local/local-parts.ts";
import {
  findRuleTests,
  openRuleTestRunner,
  type RuleTestRunner,
} from "../../src/lab/rule-tests/rule-test-runner.ts";
import { monotonicMs } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { loadRules } from "../../src/monitor/rules/load-rules.ts";
import { startEmbeddedPostgres } from "../../src/monitor/store/embedded.ts";
import { openTemplates } from "../../src/monitor/templates/open-templates.ts";
import { MUTATIONS, type Mutation } from "./mutations.ts";

const HELP = `npm run rule-mutations -- [options] [RULE ...]

Breaks each shipped rule, its routes, its receivers' quiet hours and its template on purpose, one mistake at a time, and
runs the rule's own tests. Prints a table of mistakes and the tests that caught them.

  RULE ...        only these rules
  --only TEXT     only mistakes whose name has this text

Ends with 1 when a mistake was not caught.
`;

const ROOT = join(import.meta.dirname, "..", "..");

async function main(): Promise<number> {
  const options = { only: { type: "string" }, help: { type: "boolean", default: false } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const names =
    positionals.length > 0
      ? positionals
      : (await loadRules(join(ROOT, "rules"))).rules.map(({ name }) => name);
  const folder = await mkdtemp(join(tmpdir(), "earshot-rule-mutations-"));
  const log = createLog({ level: "silent" });
  const server = await startEmbeddedPostgres({
    dataDir: join(folder, "postgres"),
    log,
    maxConnections: 100,
    share: false,
  });
  const startedAt = monotonicMs();
  let [caught, missed] = [0, 0];
  const runner = await openRuleTestRunner(server.url);
  try {
    for (const name of names) {
      process.stdout.write(`${name}\n`);
      for (const mutation of MUTATIONS.filter((one) => one.name.includes(values.only ?? ""))) {
        const config = await broken(name, mutation, join(folder, "tree"));
        if (config === null) continue;
        const by = await catchers(name, config, runner);
        if (by.length > 0) caught++;
        else missed++;
        process.stdout.write(
          `  ${mutation.name.padEnd(28)} ${by.length > 0 ? `caught by ${by.join(", ")}` : "NOT CAUGHT"}\n`,
        );
      }
    }
  } finally {
    await runner.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
  const seconds = Math.round((monotonicMs() - startedAt) / 1000);
  process.stdout.write(`\n${caught} of ${caught + missed} mistakes were caught, ${seconds} s\n`);
  return missed === 0 ? 0 : 1;
}

/** A copy of rules and templates with the mistake; null where the rule has no place for it. */
async function broken(rule: string, mutation: Mutation, folder: string): Promise<Config | null> {
  await rm(folder, { recursive: true, force: true });
  for (const part of ["rules", "templates"])
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  if (mutation.in !== "config") {
    const file = mutation.in === "rule" ? `rules/${rule}.yaml` : `templates/${mutation.file}`;
    const before = await readFile(join(folder, file), "utf8");
    const after = mutation.apply(before);
    if (after === before) return null;
    await writeFile(join(folder, file), after);
  }
  const config = await offlineConfig({ rules: join(folder, "rules"), templates: join(folder, "templates") });
  return mutation.in === "config" ? mutation.apply(config) : config;
}

/** The rule's own tests that fail. A mistake that makes the rule unreadable would be no fair one. */
async function catchers(rule: string, config: Config, runner: RuleTestRunner): Promise<string[]> {
  const { rules, faults } = await loadRules(config.rules);
  if (faults.length > 0)
    throw new Error(`the mistake made no valid rule: ${faults.map(({ message }) => message).join("; ")}`);
  const its: string[] = [];
  for (const file of await findRuleTests(config.rules))
    if (new RegExp(`^rule: ${rule}$`, "m").test(await readFile(file, "utf8"))) its.push(file);
  if (its.length === 0) throw new Error(`${rule} has no test`);
  const results = await runner.run(its, {
    config,
    rules,
    renderer: await openTemplates(config.templates),
    update: false,
    log: createLog({ level: "silent" }),
    signal: new AbortController().signal,
    onResult: () => {},
  });
  const wrong = results.find(({ outcome }) => outcome === "Broken");
  if (wrong !== undefined) throw new Error(`${wrong.name} could not be run: ${wrong.failures[0]?.message}`);
  return results.filter(({ outcome }) => outcome === "Failed").map(({ name }) => name);
}

process.exitCode = await main();
