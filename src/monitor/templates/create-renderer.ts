import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import Handlebars from "handlebars";
import { closestWord } from "../../lib/closest-word.ts";
import { codeOf, describeError, didYouMean, UserError } from "../../lib/errors.ts";
import { escapeView, FORMATS, type Format } from "./escape.ts";
import { findUnknownNames, shapeOf } from "./find-unknown-names.ts";
import { guardHelper, helpers } from "./helpers.ts";
import { sampleViews } from "./samples.ts";
import { TEMPLATE_NAMES, type TemplateName } from "./template-names.ts";

export interface Renderer {
  /** Renders one template with one view. Throws a UserError that names the file if the template has a fault. */
  render(name: TemplateName, view: object): string;
  /**
   * Finds unknown names, and renders every template with every sample view that fits it. Returns all faults, each with
   * its file; [] if there are none.
   */
  check(): readonly string[];
}

/**
 * Reads all templates below a directory, once; takes missing files from `base`. `tried` stands in for a file of the
 * directory. Faults show in `check()`, not here.
 */
export async function createRenderer(options: {
  readonly folder: string;
  readonly base?: string;
  readonly tried?: { readonly name: string; readonly text: string } | undefined;
}): Promise<Renderer> {
  const { tried } = options;
  const written = await readTemplates(options.folder);
  const own = tried === undefined ? written : new Map([...written, [tried.name, tried.text]]);
  const shipped = options.base === undefined ? new Map<string, string>() : await readTemplates(options.base);
  const sources = new Map([...shipped, ...own]);
  const handlebars = createHandlebars(sources);
  const compiled = new Map([...sources].map(([name, source]) => [name, handlebars.compile(source, COMPILE)]));
  const render = (name: TemplateName, view: object): string => {
    const template = compiled.get(name);
    if (template === undefined) throw new UserError(`templates/${name}.hbs is missing`);
    const format = formatOf(name);
    try {
      return tidyText(template(escapeView(view, format)), format);
    } catch (error) {
      throw new UserError(`templates/${name}.hbs: ${describeError(error)}`);
    }
  };
  return {
    render,
    check: () => [
      ...faultsOfNames(sources),
      ...unusedTemplates(own, shipped, sources),
      ...faultsOfContent(sources, render),
    ],
  };
}

const COMPILE = {
  // Values are escaped earlier, by format, because all results of `create()` share one HTML escape.
  noEscape: true,
  strict: true,
  preventIndent: true,
  knownHelpersOnly: true,
  knownHelpers: Object.fromEntries(
    [...Object.keys(helpers), "if", "unless", "each", "with"].map((n) => [n, true]),
  ),
};

function createHandlebars(sources: ReadonlyMap<string, string>): typeof Handlebars {
  const handlebars = Handlebars.create();
  for (const builtIn of ["if", "unless", "each", "with"]) {
    const helper = handlebars.helpers[builtIn];
    if (helper !== undefined) handlebars.registerHelper(builtIn, guardHelper(builtIn, helper));
  }
  for (const name of ["log", "lookup", "helperMissing", "blockHelperMissing"])
    handlebars.unregisterHelper(name);
  for (const [name, helper] of Object.entries(helpers))
    handlebars.registerHelper(name, guardHelper(name, helper));
  for (const [name, source] of sources) handlebars.registerPartial(name, source);
  return handlebars;
}

function faultsOfNames(sources: ReadonlyMap<string, string>): string[] {
  const missing = TEMPLATE_NAMES.filter((name) => !sources.has(name)).map(
    (name) => `templates/${name}.hbs is missing`,
  );
  const strange = [...sources.keys()]
    .filter((name) => !hasFormat(name))
    .map(
      (name) => `templates/${name}.hbs: the name has to end in ${FORMATS.map((f) => `.${f}.hbs`).join(", ")}`,
    );
  return [...missing, ...strange];
}

/** A file that neither code nor another template uses probably has a misspelt name. */
function unusedTemplates(
  own: ReadonlyMap<string, string>,
  shipped: ReadonlyMap<string, string>,
  sources: ReadonlyMap<string, string>,
): string[] {
  const names = new Set<string>([...TEMPLATE_NAMES, ...[...sources.values()].flatMap(includedBy)]);
  return [...own.keys()]
    .filter((name) => !names.has(name) && !shipped.has(name) && hasFormat(name))
    .map((name) => {
      const closest = closestWord(name, [...names]);
      return `templates/${name}.hbs: nothing uses it${didYouMean(closest === undefined ? closest : `${closest}.hbs`)}`;
    });
}

function includedBy(source: string): string[] {
  return [...source.matchAll(/\{\{~?#?>\s*([^\s}~]+)/g)].map((match) =>
    (match[1] ?? "").replaceAll(/["'[\]]/g, ""),
  );
}

function faultsOfContent(sources: ReadonlyMap<string, string>, render: Renderer["render"]): string[] {
  const faults = new Set<string>();
  for (const name of TEMPLATE_NAMES.filter((known) => sources.has(known))) {
    const unknownNames = findUnknownNames(sources, name, shapeOf(sampleViews(name)));
    for (const fault of unknownNames) faults.add(fault);
    // Rendering would report the same fault again.
    if (unknownNames.length > 0) continue;
    for (const view of sampleViews(name)) {
      try {
        if (render(name, view).length > MOST_LETTERS) faults.add(`templates/${name}.hbs: ${TOO_MUCH}`);
      } catch (error) {
        faults.add(describeError(error));
      }
    }
  }
  return [...faults];
}

/** Of one part of a message: more than twenty times the longest of a shipped template. */
const MOST_LETTERS = 500_000;
const TOO_MUCH = `a sample becomes more than ${MOST_LETTERS / 1_000} kB: is something repeated inside a repetition?`;

function hasFormat(name: string): boolean {
  return FORMATS.some((format) => name.endsWith(`.${format}`));
}

function formatOf(name: TemplateName): Format {
  const format = FORMATS.find((known) => name.endsWith(`.${known}`));
  if (format === undefined) throw new UserError(`templates/${name}.hbs: no format in its name`);
  return format;
}

/** Removes the blank lines and spaces that conditions in a template leave. A header is always one line. */
function tidyText(text: string, format: Format): string {
  switch (format) {
    case "html":
      return text;
    case "header":
      return text.replaceAll(/\s+/g, " ").trim();
    case "mrkdwn":
      return tidyLines(text);
    case "txt":
      return `${tidyLines(text)}\n`;
  }
}

function tidyLines(text: string): string {
  return text
    .replaceAll(/(?<![ \t])[ \t]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** All `.hbs` files below a directory: `email/alert.html` → source. Throws a UserError when it cannot be read. */
export async function readTemplates(directory: string): Promise<ReadonlyMap<string, string>> {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(".hbs"))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    const sources = await Promise.all(files.map((file) => readFile(file, "utf8")));
    return new Map(files.map((file, index) => [nameOf(directory, file), sources[index] ?? ""]));
  } catch (error) {
    const code = codeOf(error);
    throw new UserError(
      `cannot read the templates directory${code === null ? "" : ` (${code})`}: ${directory}`,
    );
  }
}

function nameOf(directory: string, file: string): string {
  return relative(directory, file).split(sep).join("/").slice(0, -".hbs".length);
}
