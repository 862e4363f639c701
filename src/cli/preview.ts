import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { type Config, loadConfig, openAlertContents, readEnvironment } from "#admin";
import { messagePage } from "#lab";
import {
  aboutOf,
  contentOfSample,
  findChromium,
  findSample,
  loadRules,
  openTemplates,
  type Picture,
  type PreviewContent,
  type PreviewFile,
  previewFiles,
  previewTemplate,
  type Sample,
  samples,
  showPreview,
  TEMPLATE_NAMES,
  type TemplateName,
  takePictures,
} from "#monitor";
import { closestWord } from "../lib/closest-word.ts";
import { describeError, UserError } from "../lib/errors.ts";
import { shippedFolder } from "../lib/folders.ts";
import { findAlert } from "./alerts/find-alert.ts";
import { commandLog } from "./common/command-log.ts";
import { print, printError, printJson } from "./common/print.ts";

interface PreviewOptions {
  readonly alert?: string;
  readonly sample?: string;
  readonly out: string;
  readonly config?: string;
  readonly templates?: string;
  readonly against?: string;
  readonly rules?: string;
  readonly pictures: boolean;
  readonly json: boolean;
}

type About = Sample["about"];

export function definePreviewCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command
    .argument(
      "<template>",
      "alert or digest, the name of one template, such as email/alert.txt, or a rule test",
    )
    .addOption(new Option("--alert <id>", "a stored alert, as it would be sent now").conflicts("sample"))
    .option("--sample <name>", "a sample instead of the usual one; any wrong name lists them")
    .option("--out <folder>", "where the files go", "preview")
    .option("--config <file>", "configuration (default: earshot.yaml, where there is one)")
    .option("--templates <folder>", "your templates, instead of those that the configuration names")
    .option("--against <folder>", "with a rule test: the same messages by these templates beside them")
    .option("--rules <folder>", "with a rule test: rules, instead of those that the configuration names")
    .option("--no-pictures", "no pictures, which need a Chromium")
    .option("--json", "print names and texts as one JSON object, write no files", false)
    .addHelpText(
      "after",
      `
Examples:
  earshot preview alert
  earshot preview alert --sample resolved --out preview
  earshot preview email/alert.txt --alert 0199b2c4-7d1a
  earshot preview digest --templates my-templates --no-pictures
  earshot preview rules/tests/crisis-spike.test.yaml --templates my-templates --against templates
\nSamples\n  alert   ${namesOf("alert").join(", ")}\n  digest  ${namesOf("digest").join(", ")}\n\nTemplates\n${TEMPLATE_NAMES.map((name) => `  ${name}`).join("\n")}`,
    )
    .action(async (template: string, options: PreviewOptions) => {
      if (template.endsWith(".test.yaml")) return previewStory(template, options, env);
      const name = TEMPLATE_NAMES.find((one) => one === template.replace(/\.hbs$/, "")) ?? null;
      if (template === "alert" || template === "digest") return preview(template, null, options, env);
      if (name !== null) return preview(aboutOf(name), name, options, env);
      const closest = closestWord(template, TEMPLATE_NAMES);
      throw new UserError(`there is no template "${template}"`, [
        closest === undefined
          ? "known are alert and digest, and those that --help lists"
          : `did you mean "${closest}"?`,
      ]);
    });
}

/** With `only`, previews one template instead of the whole message. */
async function preview(
  about: About,
  only: TemplateName | null,
  options: PreviewOptions,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { configFile } = readEnvironment(env);
  const file = options.config ?? configFile;
  const config = options.config !== undefined || existsSync(file) ? await loadConfig(file, env) : null;
  const renderer = await openTemplates(options.templates ?? config?.templates ?? shippedFolder("templates"));
  const { content, of } =
    options.alert === undefined
      ? { content: ofSample(about, options.sample ?? null), of: options.sample ?? namesOf(about)[0] ?? "" }
      : await ofAlert(about, options.alert, { config, env });
  if (only !== null) return previewOne(previewTemplate(only, content, of, renderer), options, env);
  const message = showPreview(content, renderer);
  if (options.json) {
    printJson(message);
    return;
  }
  const { email } = message;
  const pictures = await picturesOf(email.shown, options, env);
  // The file embeds its picture; in the mail the picture is a separate part.
  const shown = { ...message, email: { ...email, html: email.shown } };
  await writeFiles(previewFiles(`${about}-${of}`, shown, pictures), options.out);
}

async function previewOne(file: PreviewFile, options: PreviewOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const text = file.content.toString();
  if (options.json) {
    printJson({ name: file.name, text });
    return;
  }
  const pictures = file.name.endsWith(".html") ? await picturesOf(text, options, env) : [];
  const stem = file.name.replace(/\.\w+$/, "");
  const all = [file, ...pictures.map(({ look, png }) => ({ name: `${stem}.${look}.png`, content: png }))];
  await writeFiles(all, options.out);
}

/** Every message of a rule test in order, on one page; with `--against` before and after a change of templates. */
async function previewStory(file: string, options: PreviewOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const { createRuleTests } = await import("./run-rule-tests.ts");
  const tests = createRuleTests(env);
  const run = async (templates: string | undefined) => {
    const { config, rules } = options;
    const chosen = { config, rules, templates };
    const results = await tests.run(
      [file],
      { ...chosen, update: false },
      {
        signal: new AbortController().signal,
        onResult: () => {},
      },
    );
    const [result] = results;
    if (result === undefined || result.run === null)
      throw new UserError(`${file} cannot be run`, result?.failures.map(({ message }) => message) ?? []);
    return { messages: result.run.observed.messages, show: result.show };
  };
  const runBoth = async () => ({
    after: await run(options.templates),
    before: options.against === undefined ? null : await run(options.against),
  });
  const { after, before } = await runBoth().finally(tests.close);
  const columns = [
    ...(before === null ? [] : [{ heading: `before: ${options.against}`, messages: before.messages }]),
    { heading: `after: ${options.templates ?? "the templates in use"}`, messages: after.messages },
  ];
  if (options.json) {
    printJson(
      columns.map(({ heading, messages }) => ({
        heading,
        messages: messages.map(({ html: _, ...one }) => one),
      })),
    );
    return;
  }
  const page = messagePage(basename(file), columns, after.show);
  const stem = basename(file, ".test.yaml");
  const pictures = await picturesOf(page, options, env);
  await writeFiles(
    [
      { name: `${stem}.html`, content: page },
      ...pictures.map(({ look, png }) => ({ name: `${stem}.${look}.png`, content: png })),
    ],
    options.out,
  );
}

async function picturesOf(
  html: string,
  options: PreviewOptions,
  env: NodeJS.ProcessEnv,
): Promise<readonly Picture[]> {
  if (!options.pictures) return [];
  const result = await takePictures(html, { executable: findChromium(env["PATH"] ?? "") });
  if (result.outcome === "NoBrowser") printError(`No pictures: ${result.reason}.`);
  if (result.outcome === "Taken" && !result.hasEmoji)
    printError(
      "The pictures have boxes for emoji: this machine has no font for them (such as fonts-noto-color-emoji). Readers have one.",
    );
  return result.outcome === "Taken" ? result.pictures : [];
}

async function writeFiles(files: readonly PreviewFile[], folder: string): Promise<void> {
  await makeFolder(folder);
  for (const { name, content } of files) {
    await writeFile(join(folder, name), content);
    print(join(folder, name));
  }
}

/** Makes one folder level at a time: a recursive `mkdir` never returns in folders such as /proc. */
async function makeFolder(folder: string): Promise<void> {
  const path = resolve(folder);
  if (existsSync(path)) return;
  try {
    if (dirname(path) !== path) await makeFolder(dirname(path));
    await mkdir(path);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`the folder ${path} cannot be made: ${describeError(error)}`);
  }
}

function ofSample(about: About, name: string | null): PreviewContent {
  const sample = findSample(about, name);
  if (sample !== null) return contentOfSample(sample);
  throw new UserError(`there is no sample "${name}" of ${about}`, [`known are ${namesOf(about).join(", ")}`]);
}

async function ofAlert(
  about: About,
  id: string,
  parts: { config: Config | null; env: NodeJS.ProcessEnv },
): Promise<{ content: PreviewContent; of: string }> {
  if (about !== "alert") throw new UserError("--alert goes with the template alert");
  const { config, env } = parts;
  const { rules } = await loadRules(config?.rules ?? shippedFolder("rules"));
  const opened = await openAlertContents({
    environment: readEnvironment(env),
    rules,
    timezone: config?.timezone ?? "UTC",
    consoleUrl: config?.web.publicUrl ?? null,
    log: commandLog(env),
  });
  try {
    const alert = await findAlert(opened.stores, id);
    const content = await opened.contentOf(alert.id);
    if (content !== null) return { content, of: alert.id };
    throw new UserError(`what alert "${id}" was about is no longer stored`);
  } finally {
    await opened.close();
  }
}

function namesOf(template: About): readonly string[] {
  return samples.filter(({ about }) => about === template).map(({ name }) => name);
}
