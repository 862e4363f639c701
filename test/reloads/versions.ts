import { mkdir, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { shippedFolder } from "../../src/lib/folders.ts";
import { RULES } from "../chaos/expected.ts";

/** What a version of the files is like. All but `good` must be refused. */
export const KINDS = ["good", "wrong-key", "wrong-rule", "wrong-template", "torn", "gone"] as const;
export type Kind = (typeof KINDS)[number];

const TEMPLATES = ["slack/alert-fallback.mrkdwn", "email/alert.txt"];

/**
 * Versions of earshot.yaml, the rules and the templates, each in a folder of its own. A version has its number in the
 * title of every rule, in every text, and in the sender of the mails, so that a message shows what it was made of.
 */
export function createVersions(folder: string) {
  const current = join(folder, "current");
  return {
    /** Where processes read: a link to the folder of one version. */
    file: join(current, "earshot.yaml"),

    /** Writes a version, and then puts it in place at once. */
    async put(version: number, kind: Kind): Promise<void> {
      const own = join(folder, `version-${version}`);
      await mkdir(join(own, "rules"), { recursive: true });
      await writeFile(join(own, "earshot.yaml"), await configOf(folder, version, kind));
      for (const [name, text] of Object.entries(RULES))
        await writeFile(join(own, "rules", `${name}.yaml`), ruleOf(text, version));
      for (const name of TEMPLATES) {
        await mkdir(join(own, "templates", name, ".."), { recursive: true });
        const shipped = await readFile(join(shippedFolder("templates"), `${name}.hbs`), "utf8");
        const title = kind === "wrong-template" ? "tittle" : "title";
        await writeFile(
          join(own, "templates", `${name}.hbs`),
          `${shipped.trimEnd()} {{${title}}} templates-v${version}\n`,
        );
      }
      const aRule = join(own, "rules", "recall-words.yaml");
      if (kind === "wrong-rule") await writeFile(aRule, "severity: loud\n");
      if (kind === "torn") await truncate(aRule, 40);
      if (kind === "gone") await rm(join(own, "rules"), { recursive: true });
      await symlink(own, `${current}.new`);
      await rename(`${current}.new`, current);
    },
  };
}

async function configOf(folder: string, version: number, kind: Kind): Promise<string> {
  const config = JSON.parse(await readFile(join(folder, "earshot.yaml"), "utf8"));
  delete config.templates;
  for (const receiver of config.receivers)
    if (receiver.kind === "email") receiver.fromName = `Earshot config-v${version}`;
  return JSON.stringify(kind === "wrong-key" ? { ...config, rooutes: [] } : config);
}

function ruleOf(text: string, version: number): string {
  return `title: Rule rules-v${version}\n${text.trimStart()}`;
}

/** The numbers of the versions in a message, of rules, templates and configuration. */
export function versionsIn(message: string): readonly number[] {
  const found = [...message.matchAll(/\b(?:rules|templates|config)-v(\d+)\b/g)];
  return [...new Set(found.map(([, number]) => Number(number)))];
}

/** What is wrong with the messages: parts of two versions in one, or parts of a version that had to be refused. */
export function findMixtures(
  messages: readonly string[],
  good: ReadonlySet<number>,
): {
  readonly mixed: readonly string[];
  readonly refused: readonly string[];
  readonly plain: readonly string[];
} {
  const shorten = (text: string) => text.replaceAll(/\s+/g, " ").slice(0, 200);
  const having = (isSo: (versions: readonly number[]) => boolean) =>
    messages.filter((message) => isSo(versionsIn(message))).map(shorten);
  return {
    mixed: having((versions) => versions.length > 1),
    refused: having((versions) => versions.some((version) => !good.has(version))),
    plain: having((versions) => versions.length === 0),
  };
}
