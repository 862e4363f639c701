import { resolve } from "node:path";
import type { PageOptions, TemplateView } from "#console";
import { aboutOf, readTemplates, ruleVersion, type Stores } from "#monitor";
import { shippedFolder } from "../../lib/folders.ts";
import type { Logger } from "../../lib/log.ts";
import { createWorkerPool } from "../../lib/worker-pool.ts";
import type { RuleFiles } from "./rule-files.ts";
import { normalized, refused, saveFile } from "./save-file.ts";
import type { TemplateTasks } from "./template-thread.ts";

/** Letters of a template that is tried or saved on the console. */
const LONGEST = 50_000;
/** All templates with all samples need a quarter of it the first time. */
const PROCESSOR_MS = 3_000;
const LIMITS = { threads: 1, waiting: 8, memoryMb: 192 };
const EDITS = 20;

type Files = Pick<RuleFiles, "reload"> & { readonly folder: string };
type View = TemplateView;

/** Opens the pages of templates of a console. What people type is tried in a thread, which `closing` ends. */
export function openTemplateEditor(files: Files, log: Logger): NonNullable<PageOptions["openTemplates"]> {
  return ({ stores }, closing) => {
    const pool = createWorkerPool<TemplateTasks>("src/lab/tries/template-thread", LIMITS);
    closing.add(pool.close);
    const { folder } = files;

    const attempt: View["attempt"] = async ({ name, text, sample }) => {
      if (text.length > LONGEST) return { faults: [TOO_LONG] };
      const task = { folder, name, text, about: aboutOf(name), sample };
      const tried = await pool.run("tryTemplate", task, { processorMs: PROCESSOR_MS });
      if (tried.outcome === "Done") return tried.result;
      if (tried.outcome === "Busy") return "Busy";
      const error = tried.outcome === "Failed" ? { error: tried.message } : {};
      log.warn(
        { template: name, outcome: tried.outcome, ...error },
        "a template that was typed into the console was not tried",
      );
      return { faults: [tried.outcome === "Failed" ? NOT_READ : TOO_MUCH] };
    };

    return createTemplateView({ ...files, stores, log, attempt });
  };
}

const TOO_LONG = `a template on the console has ${LONGEST / 1_000} kB at most`;
const NOT_READ = "this template could not be tried: the log has the reason";
const TOO_MUCH = "this template takes too much time or memory: make it simpler";
const WITH_FAULTS = "with this template, the folder of templates has faults";

function createTemplateView(
  parts: Files & { readonly stores: Stores; readonly log: Logger; readonly attempt: View["attempt"] },
): View {
  const { folder, attempt, stores } = parts;
  const shippedIn = shippedFolder("templates");
  const isShipped = resolve(folder) === resolve(shippedIn);
  const read = async () => {
    const shipped = await readTemplates(shippedIn);
    return { shipped, own: isShipped ? new Map<string, string>() : await readTemplates(folder) };
  };

  return {
    list: async () => {
      const { shipped, own } = await read();
      return [...new Set([...shipped.keys(), ...own.keys()])]
        .sort()
        .map((name) => ({ name, isOwn: own.has(name) }));
    },
    find: async (name) => {
      const { shipped, own } = await read();
      const text = own.get(name) ?? shipped.get(name);
      if (text === undefined) return null;
      const isOwn = own.has(name);
      const edits = await stores.rulePages.edits(subjectOf(name), EDITS);
      const version = isOwn ? ruleVersion(text) : null;
      return { name, isOwn, text, version, shipped: shipped.get(name) ?? null, edits };
    },
    attempt,
    save: async ({ name, text, opened, actor }, now) => {
      if (isShipped) return refused(SHIPPED);
      const { shipped, own } = await read();
      // The name never leaves the folder: it is one that is there.
      if (!shipped.has(name) && !own.has(name)) return refused("there is no such template");
      if (text === null && !shipped.has(name)) return refused("no template of this name is shipped");
      const written = text === null ? null : normalized(text);
      return saveFile(
        parts,
        {
          what: "template",
          subject: subjectOf(name),
          file: `${name}.hbs`,
          text: written,
          opened,
          actor,
          becauseTaken:
            "somebody has saved this template meanwhile: copy your text, open it again, and change that",
          whyRefused: async () => {
            const tried = await attempt({ name, text: written ?? shipped.get(name) ?? "", sample: null });
            if (tried === "Busy")
              return refused("others try templates at the moment: save it again in a moment");
            return "faults" in tried && tried.faults.length > 0 ? refused(WITH_FAULTS, tried.faults) : null;
          },
        },
        now,
      );
    },
    readOnly: isShipped ? SHIPPED : null,
  };
}

const SHIPPED =
  "the shipped templates are in use. Make a folder templates beside earshot.yaml, and run earshot reload";

function subjectOf(name: string): string {
  return `templates/${name}`;
}
