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
import { createRandom } from "../../src/listening-api/simulate/random.ts";
import { loadRules } from "../../src/monitor/rules/load-rules.ts";
import { startEmbeddedPostgres } from "../../src/monitor/store/embedded.ts";
import { openTemplates } from "../../src/monitor/templates/open-templates.ts";
import { generateMutations } from "./generate-mutations.ts";
import { MUTATIONS_AROUND } from "./mutations-around.ts";

const HELP = `npm run rule-mutations -- [options] [RULE ...]

Breaks each shipped rule on purpose, one mistake at a time, and runs the rule's own tests. The mistakes are generated: each
number a tenth larger and smaller, each entry of a list and each key left out, each word another one; and its routes, its
receivers' quiet hours and its template. Prints the test that caught each. Mistakes that make no valid rule do not count.

  RULE ...        only these rules
  --only TEXT     only mistakes whose name has this text
  --share N       one of N mistakes, chosen by the seed
  --seed S        (1)

Ends with 1 when a mistake was not caught.
`;

const ROOT = join(import.meta.dirname, "..", "..");

/** A mistake, and what it makes of the configuration, with its rules and templates; null: no valid rule. */
interface Mistake {
  readonly name: string;
  readonly make: () => Promise<Config | null>;
}

async function main(): Promise<number> {
  const options = {
    only: { type: "string", default: "" },
    share: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const shipped = (await loadRules(join(ROOT, "rules"))).rules.map(({ name }) => name);
  const unknown = positionals.filter((name) => !shipped.includes(name));
  if (unknown.length > 0)
    throw new Error(`no such rule: ${unknown.join(", ")}; there are ${shipped.join(", ")}`);
  const random = createRandom("rule mutations", Number(values.seed));
  const folder = await mkdtemp(join(tmpdir(), "earshot-rule-mutations-"));
  const log = createLog({ level: "silent" });
  const server = await startEmbeddedPostgres({
    dataDir: join(folder, "postgres"),
    log,
    maxConnections: 100,
    share: false,
  });
  const startedAt = monotonicMs();
  let [caught, missed, invalid] = [0, 0, 0];
  const runner = await openRuleTestRunner(server.url);
  try {
    for (const rule of shipped) {
      const mistakes = (await mistakesOf(rule, join(folder, "tree"))).filter(
        ({ name }) => name.includes(values.only) && random.next() < 1 / Number(values.share),
      );
      if (mistakes.length === 0 || (positionals.length > 0 && !positionals.includes(rule))) continue;
      process.stdout.write(`${rule}\n`);
      for (const { name, make } of mistakes) {
        const config = await make();
        if (config === null) {
          invalid++;
          continue;
        }
        const by = await catcher(rule, config, runner);
        if (by !== null) caught++;
        else missed++;
        process.stdout.write(`  ${name.padEnd(60)} ${by ?? "NOT CAUGHT"}\n`);
      }
    }
  } finally {
    await runner.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
  const seconds = Math.round((monotonicMs() - startedAt) / 1000);
  process.stdout.write(
    `\n${caught} of ${caught + missed} mistakes were caught, ${seconds} s; ${invalid} made no valid rule\n`,
  );
  return missed === 0 ? 0 : 1;
}

async function mistakesOf(rule: string, tree: string): Promise<Mistake[]> {
  const file = `rules/${rule}.yaml`;
  const inRule = generateMutations(await readFile(join(ROOT, file), "utf8")).map(({ name, text }) => ({
    name,
    make: async () => {
      const config = await copyTree(tree, new Map([[file, text]]));
      return (await loadRules(config.rules)).faults.length > 0 ? null : config;
    },
  }));
  const around = MUTATIONS_AROUND.map((mutation) => ({
    name: mutation.name,
    make: async () => {
      if (mutation.in === "config") return mutation.apply(await copyTree(tree, new Map()));
      const template = `templates/${mutation.file}`;
      const text = mutation.apply(await readFile(join(ROOT, template), "utf8"));
      return copyTree(tree, new Map([[template, text]]));
    },
  }));
  return [...inRule, ...around];
}

/** A copy of rules and templates in which some files have another text. */
async function copyTree(folder: string, changed: ReadonlyMap<string, string>): Promise<Config> {
  await rm(folder, { recursive: true, force: true });
  for (const part of ["rules", "templates"])
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  for (const [file, text] of changed) await writeFile(join(folder, file), text);
  return offlineConfig({ rules: join(folder, "rules"), templates: join(folder, "templates") });
}

/** The first of the rule's own tests that fails: those at the edge see most. */
async function catcher(rule: string, config: Config, runner: RuleTestRunner): Promise<string | null> {
  const { rules } = await loadRules(config.rules);
  const its: string[] = [];
  for (const file of await findRuleTests(config.rules))
    if (new RegExp(`^rule: ${rule}$`, "m").test(await readFile(file, "utf8"))) its.push(file);
  if (its.length === 0) throw new Error(`${rule} has no test`);
  for (const file of its.toSorted((a, b) => Number(b.includes("-edge.")) - Number(a.includes("-edge.")))) {
    const [result] = await runner.run([file], {
      config,
      rules,
      renderer: await openTemplates(config.templates),
      update: false,
      log: createLog({ level: "silent" }),
      signal: new AbortController().signal,
      onResult: () => {},
    });
    if (result === undefined || result.outcome === "Broken")
      throw new Error(`${file} could not be run: ${result?.failures[0]?.message}`);
    if (result.outcome === "Failed") return result.name;
  }
  return null;
}

process.exitCode = await main();
