import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { validRules } from "#monitor";
import { describeError, UserError } from "../../lib/errors.ts";
import { makeDataFolder } from "../../lib/folders.ts";
import { loadConfig } from "../config/config.ts";
import { draftSetup, type SetupAnswers, type SetupDraft } from "./draft-setup.ts";
import type { SchemaLines } from "./draft-setup-rules.ts";

/** A JSON Schema that goes into its own file if the folder has none yet. */
export interface SetupSchema {
  /** Such as rule.schema.json. */
  readonly file: string;
  text(): string;
}

/** A file with a secret, which only this user may read. */
export interface SecretFile {
  /** Relative to the folder of earshot.yaml. */
  readonly path: string;
  readonly text: string;
}

/**
 * Drafts a configuration and reads it back with an empty environment, before anybody sees or writes it. Rejects with a
 * UserError that lists what is wrong with it. The receiver is left out there: it may name files and variables.
 */
export async function draftChecked(answers: SetupAnswers, schemas: SchemaLines): Promise<SetupDraft> {
  const draft = draftSetup(answers, schemas);
  const { files } = answers.receiver === null ? draft : draftSetup({ ...answers, receiver: null }, schemas);
  const folder = await mkdtemp(join(tmpdir(), "earshot-setup-"));
  try {
    for (const { path, text } of files) await writeOne(join(folder, path), text, { flag: "wx" });
    const { rules } = await loadConfig(join(folder, "earshot.yaml"), {});
    await validRules(rules);
    return draft;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const details = error.details.map((one) => one.replaceAll(join(folder, "/"), ""));
    throw new UserError("this set-up would not be valid", details);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The comments by which editors find the schemas, for an earshot.yaml in this place. */
export function schemaLinesFor(configFile: string, rulesFolder: string): SchemaLines {
  const folder = dirname(resolve(configFile));
  const line = (from: string, file: string) =>
    `# yaml-language-server: $schema=${relative(from, placeOf(folder, file)).replaceAll("\\", "/")}`;
  return {
    config: line(folder, "earshot.schema.json"),
    rule: line(join(folder, rulesFolder), "rule.schema.json"),
    test: line(join(folder, rulesFolder, "tests"), "rule-test.schema.json"),
  };
}

/** In a clone the schemas are in docs/schemas already. */
function placeOf(folder: string, file: string): string {
  const inClone = join(folder, "docs", "schemas", file);
  return existsSync(inClone) ? inClone : join(folder, file);
}

/** What stands in the way of a draft: paths that exist already. */
export function inTheWay(configFile: string, draft: SetupDraft): readonly string[] {
  return targetsOf(configFile, draft).filter((path) => existsSync(path));
}

/** The configuration and the folder of rules. */
function targetsOf(configFile: string, { files }: SetupDraft): readonly string[] {
  const folder = dirname(configFile);
  const [, rule] = files;
  return [configFile, ...(rule === undefined ? [] : [join(folder, rule.path.split("/")[0] ?? "")])];
}

/**
 * Writes the files of a draft. What exists already is renamed to `….old` with `replace`, else a UserError says so and
 * nothing is written. Returns what was written and kept, for people.
 */
export async function writeSetup(
  configFile: string,
  draft: SetupDraft,
  options: {
    readonly replace: boolean;
    readonly schemas: readonly SetupSchema[];
    readonly secrets?: readonly SecretFile[];
  },
): Promise<{ readonly written: readonly string[]; readonly kept: readonly string[] }> {
  const folder = dirname(configFile);
  const found = inTheWay(configFile, draft);
  if (found.length > 0 && !options.replace)
    throw new UserError(`${found.join(" and ")} ${found.length === 1 ? "exists" : "exist"} already`, [
      "nothing was written; with --force they are kept as .old and replaced",
    ]);
  const kept: string[] = [];
  const written: string[] = [];
  try {
    for (const path of found) {
      const old = freeName(path);
      await rename(path, old);
      kept.push(old);
    }
    for (const { path, text } of options.secrets ?? [])
      await writeOne(join(folder, path), text, { mode: 0o600, flag: "w" });
    for (const { file, text } of options.schemas) {
      const path = placeOf(resolve(folder), file);
      if (!existsSync(path)) await writeOne(path, text(), { flag: "wx" });
    }
    // The configuration is last: a start meanwhile finds all of it, or nothing.
    for (const { path, text } of [...draft.files].reverse()) {
      const target = path === draft.files[0]?.path ? configFile : join(folder, path);
      await writeOne(target, text, { flag: "wx" });
      written.unshift(target);
    }
  } catch (error) {
    throw new UserError(`the files cannot be written: ${describeError(error)}`, [
      ...kept.map((path) => `the old one is in ${path}`),
    ]);
  }
  return { written, kept };
}

async function writeOne(path: string, text: string, how: { flag: string; mode?: number }): Promise<void> {
  const isSecret = how.mode !== undefined;
  await (isSecret ? makeDataFolder(dirname(path)) : mkdir(dirname(path), { recursive: true }));
  // A mode counts for new files only.
  if (isSecret) await rm(path, { force: true });
  await writeFile(path, text, how);
}

export function freeName(path: string): string {
  for (let n = 1; ; n++) {
    const name = `${path}.old${n === 1 ? "" : `-${n}`}`;
    if (!existsSync(name)) return name;
  }
}
