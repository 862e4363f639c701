import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { createPreviews } from "../app/preview/create-previews.ts";
import { findChromium } from "../app/preview/find-chromium.ts";
import { openAlertPreviews } from "../app/preview/open-alert-previews.ts";
import { previewFiles } from "../app/preview/preview-files.ts";
import { takePictures } from "../app/preview/take-pictures.ts";
import { type Config, loadConfig, readSurroundings } from "../config.ts";
import { UserError } from "../lib/errors.ts";
import { shippedFolder } from "../lib/shipped-folder.ts";
import { createLog } from "../log.ts";
import { loadRules } from "../rules/load-rules.ts";
import { createRenderer, type Renderer } from "../templates/create-renderer.ts";
import { samples } from "../templates/samples.ts";

interface PreviewOptions {
  readonly alert?: string;
  readonly sample?: string;
  readonly out: string;
  readonly config?: string;
  readonly templates?: string;
  readonly pictures: boolean;
  readonly json: boolean;
}

type Template = "alert" | "digest";

export function addPreviewCommand(program: Command, env: NodeJS.ProcessEnv): void {
  program
    .command("preview")
    .description(
      "Shows a message before anybody gets it: as Slack JSON, HTML, text, and pictures of the email.",
    )
    .argument("<template>", "alert or digest")
    .addOption(
      new Option("--alert <id>", "an alert that is stored, as it would be told now").conflicts("sample"),
    )
    .option("--sample <name>", "a sample instead of the usual one; any wrong name lists them")
    .option("--out <folder>", "where the files go", "preview")
    .option("--config <file>", "configuration (default: earshot.yaml, where there is one)")
    .option("--templates <folder>", "your templates, instead of those that the configuration names")
    .option("--no-pictures", "no pictures, which need a Chromium")
    .option("--json", "print names and texts as one JSON object, write no files", false)
    .addHelpText(
      "after",
      `\nSamples\n  alert   ${namesOf("alert").join(", ")}\n  digest  ${namesOf("digest").join(", ")}`,
    )
    .action(async (template: string, options: PreviewOptions) => {
      if (template !== "alert" && template !== "digest")
        throw new UserError(`there is no template "${template}"; known are alert and digest`);
      await preview(template, options, env);
    });
}

async function preview(template: Template, options: PreviewOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const { configFile } = readSurroundings(env);
  const file = options.config ?? configFile;
  const config = options.config !== undefined || existsSync(file) ? await loadConfig(file, env) : null;
  const directory = options.templates ?? config?.templates ?? shippedFolder("templates");
  const renderer = await createRenderer({ directory, base: shippedFolder("templates") });
  const content =
    options.alert === undefined
      ? ofSample(template, options.sample ?? null, renderer)
      : await ofAlert(template, options.alert, { config, renderer, env });
  if (options.json) {
    process.stdout.write(`${JSON.stringify(content)}\n`);
    return;
  }
  const taken = options.pictures
    ? await takePictures(content.email.html, { executable: findChromium(env["PATH"] ?? "") })
    : null;
  const pictures = taken?.outcome === "taken" ? taken.pictures : [];
  const stem = `${template}-${options.alert ?? options.sample ?? namesOf(template)[0] ?? ""}`;
  await mkdir(options.out, { recursive: true });
  for (const { name, content: bytes } of previewFiles(stem, content, pictures)) {
    await writeFile(join(options.out, name), bytes);
    console.log(join(options.out, name));
  }
  if (taken?.outcome === "no-browser") console.error(`No pictures: ${taken.reason}.`);
}

function ofSample(template: Template, name: string | null, renderer: Renderer) {
  const found = createPreviews({ renderer, contentOf: async () => null }).ofSample(template, name);
  if (found !== null) return found;
  throw new UserError(`there is no sample "${name}" of ${template}`, [
    `known are ${namesOf(template).join(", ")}`,
  ]);
}

async function ofAlert(
  template: Template,
  id: string,
  parts: { config: Config | null; renderer: Renderer; env: NodeJS.ProcessEnv },
) {
  if (template !== "alert") throw new UserError("--alert goes with the template alert");
  const { config, renderer, env } = parts;
  const { rules } = await loadRules(config?.rules ?? shippedFolder("rules"));
  const opened = await openAlertPreviews({
    surroundings: readSurroundings(env),
    renderer,
    rules,
    timezone: config?.timezone ?? "UTC",
    consoleUrl: config?.web.publicUrl ?? null,
    log: createLog({ level: env["LOG_LEVEL"] ?? "warn" }),
  });
  try {
    const found = await opened.previews.ofAlert(id);
    if (found !== null) return found;
    throw new UserError(`there is no alert "${id}"`, ["the id stands in the address of its page"]);
  } finally {
    await opened.close();
  }
}

function namesOf(template: Template): readonly string[] {
  return samples.filter(({ about }) => about === template).map(({ name }) => name);
}
