import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { type Command, Option } from "commander";
import {
  DRAFT_KINDS,
  type DraftAnswers,
  draftRule,
  parseRule,
  RULE_NAME,
  ruleJsonSchema,
  ruleNameOf,
  Severity,
  titleOf,
} from "#monitor";
import { codeOf, describeError, describeFault, UserError } from "../lib/errors.ts";
import { listIn, withQuestions } from "./common/ask-questions.ts";
import { print, printJson } from "./common/print.ts";
import { schemaLine, schemaText } from "./schemas.ts";

interface NewOptions {
  readonly kind?: string;
  readonly title?: string;
  readonly query: readonly string[];
  readonly word: readonly string[];
  readonly severity?: Severity;
  readonly out?: string;
  readonly force: boolean;
  readonly json: boolean;
}

/** `earshot rules new`: writes a commented rule from a choice, by flags or by questions on a terminal. */
export function defineNewRuleCommand(command: Command, usualFolder: () => Promise<string>): void {
  const collect = (text: string, all: readonly string[]) => [...all, text];
  command
    .description(
      "Writes a rule with comments that works at once. On a terminal it asks; flags answer beforehand.",
    )
    .argument("[name]", "name of the rule and of its file, such as refund-storm")
    .addOption(
      new Option("--kind <kind>", "what it is about; asks nothing then").choices(
        DRAFT_KINDS.map(({ kind }) => kind),
      ),
    )
    .option("--title <text>", "what messages call the alert")
    .option(
      "--query <query>",
      "only this query: its name, with *, or its id; repeat it (default: all)",
      collect,
      [],
    )
    .option("--word <word>", "a word of a topic; repeat it", collect, [])
    .addOption(new Option("--severity <severity>", "how urgent an alert is").choices(Severity.options))
    .option("--out <folder>", "folder of the rules (default: the one that the configuration names)")
    .option("--force", "replace a rule of this name", false)
    .option("--json", "answer as JSON", false)
    .action(async (name: string | undefined, options: NewOptions) => {
      const folder = options.out ?? (await usualFolder());
      const answers = options.kind === undefined ? await askOnTerminal(name, options) : {};
      await writeRule(folder, name, { ...options, ...answers });
    });
}

/** Answers to what the flags leave open. */
type RuleAnswers = Partial<NewOptions> & { readonly file?: string };

async function askOnTerminal(name: string | undefined, options: NewOptions): Promise<RuleAnswers> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) {
    throw new UserError("name the kind of the rule with --kind; questions are asked on a terminal only", [
      ...DRAFT_KINDS.map(({ kind, choice }) => `--kind ${kind}: ${choice}`),
    ]);
  }
  return askForRule(name, options, stdin, stderr);
}

/** Asks for what name and flags leave open. Enter takes the answer in brackets; a wrong answer is asked again. */
export async function askForRule(
  name: string | undefined,
  options: Pick<NewOptions, "title" | "query" | "word" | "severity">,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<RuleAnswers> {
  return withQuestions(input, output, async ({ ask, say }) => {
    say("What do you want to be notified of?");
    DRAFT_KINDS.forEach(({ choice }, at) => {
      say(`  ${at + 1}  ${choice}`);
    });
    const most = DRAFT_KINDS.length;
    const found = await ask(
      `Number [1]: `,
      (text) => DRAFT_KINDS[Number(text || 1) - 1],
      `Type a number from 1 to ${most}.`,
    );
    const word =
      found.asksWords === undefined || options.word.length > 0
        ? options.word
        : await ask(
            "Words, with commas between them (refund*, money back): ",
            listIn,
            "Type at least one word.",
          );
    const usual = name === undefined ? found.title : titleOf(name);
    const title =
      options.title ??
      (await ask(
        `Title, for somebody who is woken at night [${usual}]: `,
        (text) => (text.length > 80 ? undefined : text || usual),
        "A title has 80 characters at most.",
      ));
    const query =
      options.query.length > 0
        ? options.query
        : await ask(
            "Queries, with commas between them, such as Acme* [all]: ",
            (text) => listIn(text) ?? [],
            "",
          );
    const severity =
      options.severity ??
      (await ask(
        `Severity: info (read it today), warning (look now), critical (wake somebody) [${found.severity}]: `,
        (text) => Severity.options.find((one) => one === (text || found.severity)),
        `Type ${Severity.options.join(", ")}.`,
      ));
    return { kind: found.kind, word, title, query, severity };
  });
}

async function writeRule(folder: string, named: string | undefined, options: NewOptions): Promise<void> {
  const kind = DRAFT_KINDS.find((one) => one.kind === options.kind) ?? DRAFT_KINDS[0];
  if (kind === undefined) throw new Error("there are no kinds of rules");
  const {
    word,
    title = named === undefined ? kind.title : titleOf(named),
    severity = kind.severity,
  } = options;
  const name = named ?? (title === kind.title ? kind.name : ruleNameOf(title));
  if (!RULE_NAME.test(name))
    throw new UserError(
      `a rule is named in lower case with hyphens, such as ${ruleNameOf(name)}, not "${name}"`,
    );
  if (kind.asksWords === true && word.length === 0)
    throw new UserError(`a rule about a ${kind.kind} needs words: --word "refund*" --word "money back"`);
  const file = join(folder, `${name}.yaml`);
  const schema = schemaFor(folder);
  const answers: DraftAnswers = { title, severity, queries: options.query, words: word };
  const text = draftRule(kind, answers, schemaLine(schema.line));
  const read = parseRule(name, file, text);
  if ("faults" in read)
    throw new UserError(
      "the answers make no valid rule, so nothing was written",
      read.faults.map(describeFault),
    );
  await mkdir(folder, { recursive: true }).catch((error: unknown) => refuse(folder, error));
  await writeFile(file, text, { flag: options.force ? "w" : "wx" }).catch((error: unknown) =>
    refuse(file, error),
  );
  if (schema.write !== undefined) await writeFile(schema.write, schemaText(ruleJsonSchema()));
  if (options.json)
    return printJson({ name, file, kind: kind.kind, title, severity, queries: options.query });
  print(`Wrote ${file}: "${title}", ${severity}, ${answers.queries.join(", ") || "all queries"}.

Read it and change its numbers. Then:
${nextSteps(options.out === undefined ? "" : ` --rules ${folder}`)}`);
}

function nextSteps(rules: string): string {
  const steps = [
    [`earshot check${rules}`, "is it valid, like all others?"],
    [`earshot test${rules}`, "do the tests in the folder tests beside it pass? docs/rule-tests.md shows one"],
    [`earshot start --replay FILE${rules}`, "what would it have found in past mentions?"],
    ["earshot reload", "the running monitor applies it; it learns from stored mentions first"],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command.length));
  return steps.map(([command, why]) => `  ${command.padEnd(width)}  ${why}`).join("\n");
}

/**
 * The JSON Schema for rules of this folder, by its path from there: that of a clone, or of `earshot schemas`, in the
 * folder or the one around it. If there is none, or only an old copy in the folder, `write` is where it belongs.
 */
function schemaFor(folder: string): { readonly line: string; readonly write?: string } {
  const beside = join(folder, "rule.schema.json");
  const others = ["rule.schema.json", "docs/schemas/rule.schema.json"].map((file) =>
    join(dirname(resolve(folder)), file),
  );
  const found = existsSync(beside) ? undefined : others.find((file) => existsSync(file));
  if (found === undefined) return { line: "rule.schema.json", write: beside };
  return { line: relative(resolve(folder), found).replaceAll("\\", "/") };
}

function refuse(path: string, error: unknown): never {
  if (codeOf(error) === "EEXIST")
    throw new UserError(`${path} exists already`, ["choose another name, or replace it with --force"]);
  throw new UserError(`${path} cannot be written: ${describeError(error)}`);
}
