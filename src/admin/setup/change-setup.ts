import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isPair, isScalar, parseDocument, visit } from "yaml";
import { type Actor, ruleVersion, type Stores, validRules } from "#monitor";
import { UserError } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import { unifiedDiff } from "../../lib/unified-diff.ts";
import { loadConfig } from "../config/config.ts";
import { isSecretKey } from "../config/find-concerns.ts";
import { changeListen } from "./change-listen.ts";
import type { SetupDraft } from "./draft-setup.ts";
import { freeName } from "./write-setup.ts";

/** The name under which a change of earshot.yaml is stored: no rule can have it. */
const SETUP_EDIT = "earshot.yaml";

/** What a draft would change of a configuration that is there. */
interface SetupChange {
  /** The version of the file that the difference is against. */
  readonly opened: string;
  /** Without secrets; empty if nothing differs. */
  readonly diff: string;
  readonly text: string;
  /** Rules to add, with paths relative to the folder of earshot.yaml. */
  readonly rules: readonly { readonly path: string; readonly text: string }[];
}

type File = SetupDraft["files"][number];

/**
 * Plans to replace `listen` alone, and to add the rules that the folder of rules does not have. Every other key stays as
 * it is, byte for byte. Rejects with a UserError if the file would not be valid then.
 */
export async function planSetupChange(
  file: string,
  draft: SetupDraft,
  env: NodeJS.ProcessEnv,
): Promise<SetupChange> {
  const before = await readFile(file, "utf8");
  const changed = changeListen(before, draft.listen);
  if (changed.outcome === "Unfit") throw new UserError(changed.because);
  const { rules: folder } = await checked(file, changed.text, env);
  const rules = draft.files
    .filter(({ path }) => path.split("/").length === 2)
    .map((one) => moved(one, folder));
  return {
    opened: ruleVersion(before),
    diff: unifiedDiff("earshot.yaml", withoutSecrets(before), withoutSecrets(changed.text)),
    text: changed.text,
    rules: rules.filter(({ path }) => !existsSync(path)),
  };
}

/**
 * Writes a planned change, if the file is still the version that the difference was shown against. The old one is kept
 * as `….old`. Who writes is stored first, as for rules: no change is without its line.
 */
export async function writeSetupChange(
  parts: { readonly file: string; readonly env: NodeJS.ProcessEnv; readonly stores: Stores },
  draft: SetupDraft,
  { opened, actor, now }: { readonly opened: string; readonly actor: Actor; readonly now: Instant },
): Promise<readonly string[]> {
  const { file, env, stores } = parts;
  return stores.transaction(async ({ rulePages }) => {
    await rulePages.lock();
    const change = await planSetupChange(file, draft, env);
    if (change.opened !== opened)
      throw new UserError("earshot.yaml was changed since the difference was shown: look at it again");
    if (ruleVersion(change.text) === opened && change.rules.length === 0)
      throw new UserError("nothing differs from what is there");
    const edit = await stores.rulePages.noteEdit({
      ...{ rule: SETUP_EDIT, at: now, actor },
      ...{ before: opened, after: ruleVersion(change.text) },
    });
    const added: string[] = [];
    try {
      for (const { path, text } of change.rules) {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, text, { flag: "wx" });
        added.push(path);
      }
      if (added[0] !== undefined) await validRules(dirname(added[0]));
      const old = freeName(file);
      await copyFile(file, old);
      await replaceFile(file, change.text);
      return [file, ...added, old];
    } catch (error) {
      await Promise.all(added.map((path) => rm(path, { force: true })));
      await stores.rulePages.forgetEdit(edit);
      throw error;
    }
  });
}

/** Reads a text as if it were the file: relative paths in it are those of its folder. */
async function checked(file: string, text: string, env: NodeJS.ProcessEnv) {
  const draft = partOf(file);
  try {
    await writeFile(draft, text, { flag: "wx", mode: 0o600 });
    return await loadConfig(draft, env);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(
      "with this `listen` earshot.yaml would not be valid",
      error.details.map((one) => one.replaceAll(draft, "earshot.yaml")),
    );
  } finally {
    await rm(draft, { force: true });
  }
}

function moved({ path, text }: File, folder: string): File {
  return { path: join(folder, path.split("/").at(-1) ?? ""), text };
}

/** A reader sees the old file or the new one, whatever happens in between. */
async function replaceFile(file: string, text: string): Promise<void> {
  const part = partOf(file);
  const { mode } = await stat(file);
  try {
    await writeFile(part, text, { flag: "wx", mode: mode & 0o777, flush: true });
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

function partOf(file: string): string {
  return join(dirname(file), `.${randomBytes(8).toString("hex")}.part`);
}

/** A YAML text with `…` for each secret in clear, so that a page can show the rest. */
export function withoutSecrets(text: string): string {
  const places: (readonly [number, number])[] = [];
  visit(parseDocument(text), {
    Pair: (_, pair, path) => {
      const { value } = pair;
      const keys = [...path, pair].flatMap((node) =>
        isPair(node) && isScalar(node.key) ? [String(node.key.value)] : [],
      );
      if (!isScalar(value) || !keys.some((key, index) => isSecretKey(key, keys[index - 1] ?? ""))) return;
      if (value.range != null && !String(value.value).includes("${"))
        places.push([value.range[0], value.range[1]]);
    },
  });
  return places.reduceRight((masked, [from, to]) => `${masked.slice(0, from)}…${masked.slice(to)}`, text);
}
