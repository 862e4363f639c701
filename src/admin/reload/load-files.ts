import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openTemplates, type Renderer, type Rule, validRules, validTemplates } from "#monitor";
import { type Clock, monotonicMs, systemClock } from "../../lib/clock.ts";
import { BusyError, describeError, UserError } from "../../lib/errors.ts";
import { shippedFolder } from "../../lib/folders.ts";
import { counted } from "../../lib/numbers.ts";
import { type Config, loadConfig } from "../config/config.ts";
import { type FileState, type Folders, readFileState } from "./file-state.ts";
import { judgeReading } from "./settle-files.ts";

/** What people write, read once: every part of a process uses these, and none reads the files again. */
export interface LoadedFiles {
  readonly config: Config;
  readonly rules: readonly Rule[];
  readonly renderer: Renderer;
  /** A hash of what the files say; secrets are in it only if they are written into earshot.yaml itself. */
  readonly digest: string;
}

interface LoadOptions {
  /** The folders to check if earshot.yaml cannot be read; those beside it if absent. */
  readonly folders?: Folders;
  /** False: templates are read and not tried on samples. */
  readonly triesTemplates: boolean;
}

/** How a reading waits for files that are being written. */
export interface ReadingPace {
  /** Milliseconds from an arbitrary origin. */
  elapsedMs(): number;
  /** The clock that file systems use. */
  readonly clock: Clock;
  pause(ms: number): Promise<unknown>;
}

const OWN_PACE: ReadingPace = { elapsedMs: monotonicMs, clock: systemClock, pause: (ms) => delay(ms) };
const PAUSE_MS = 100;

/**
 * Reads earshot.yaml, the rules and the templates, and checks all of them. Rejects with one UserError that has the faults
 * of all files. What changes meanwhile, or may be half of a change, is read again (`judgeReading`). If the files change
 * all the time, it is a BusyError.
 */
export async function loadFiles(
  file: string,
  env: NodeJS.ProcessEnv,
  options: LoadOptions,
  { elapsedMs, clock, pause }: ReadingPace = OWN_PACE,
): Promise<LoadedFiles> {
  const startedAt = elapsedMs();
  const read = async () => ({ ...(await readOnce(file, env, options)), at: elapsedMs() });
  for (let reading = await read(); ; ) {
    const { found, look, at } = reading;
    const outcome = judgeReading({
      found,
      hasEmpty: look.hasEmpty,
      unchangedMs: elapsedMs() - at,
      changedAgoMs: look.changedAt === null ? null : clock.now() - look.changedAt,
      waitedMs: elapsedMs() - startedAt,
    });
    if (outcome === "Load" && found === "Good") return reading.files;
    if (outcome === "Refuse" && found === "Faulty") throw reading.error;
    if (outcome === "Busy")
      throw new BusyError(`${file}, its rules or its templates are being written; reload when that is done`);
    await pause(PAUSE_MS);
    if (found === "Changed" || (await lookAt(file, env, options)).stamp !== look.stamp)
      reading = await read();
  }
}

type Reading = { readonly look: ReadFiles } & (
  | { readonly found: "Good"; readonly files: LoadedFiles }
  | { readonly found: "Faulty"; readonly error: unknown }
  | { readonly found: "Changed" }
);

async function readOnce(file: string, env: NodeJS.ProcessEnv, options: LoadOptions): Promise<Reading> {
  const look = await lookAt(file, env, options);
  const { config, folders, digest } = look;
  const rules = await attempt(validRules(folders.rules));
  const open = options.triesTemplates ? validTemplates : openTemplates;
  const renderer = await attempt(open(folders.templates));
  if ((await lookAt(file, env, options)).stamp !== look.stamp) return { found: "Changed", look };
  if ("value" in config && "value" in rules && "value" in renderer)
    return {
      found: "Good",
      look,
      files: { config: config.value, rules: rules.value, renderer: renderer.value, digest },
    };
  const errors = [config, rules, renderer].flatMap((one) => ("error" in one ? [one.error] : []));
  return { found: "Faulty", look, error: allOf(file, errors) };
}

/** The files as they are at one moment. */
interface ReadFiles extends FileState {
  readonly config: Attempt<Config>;
  readonly folders: Folders;
}

async function lookAt(file: string, env: NodeJS.ProcessEnv, options: LoadOptions): Promise<ReadFiles> {
  const config = await attempt(loadConfig(file, env));
  const folders = "value" in config ? config.value : (options.folders ?? foldersBeside(file));
  const state = await readFileState(file, folders);
  // With what earshot.yaml only names: secrets in files of their own.
  const content = "value" in config ? JSON.stringify(config.value) : faultsIn(config.error).join("\n");
  return {
    ...state,
    stamp: createHash("sha256").update(state.stamp).update(content).digest("hex"),
    config,
    folders,
  };
}

/**
 * The hash of what the files say now, and nothing of their faults: whether a process needs to read them again. Null if
 * earshot.yaml has a fault.
 */
export async function digestOfFiles(file: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const config = await attempt(loadConfig(file, env));
  return "value" in config ? (await readFileState(file, config.value)).digest : null;
}

function foldersBeside(file: string): Folders {
  const folder = (name: "rules" | "templates") => {
    const beside = join(dirname(file), name);
    return existsSync(beside) ? beside : shippedFolder(name);
  };
  return { rules: folder("rules"), templates: folder("templates") };
}

type Attempt<T> = { readonly value: T } | { readonly error: unknown };

function attempt<T>(work: Promise<T>): Promise<Attempt<T>> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

/** The only error as it is; several as one, with the details of each. */
function allOf(file: string, errors: readonly unknown[]): unknown {
  if (errors.length === 1) return errors[0];
  const details = errors.flatMap(faultsIn);
  return new UserError(
    `${file}, its rules and its templates have ${counted(details.length, "fault")}`,
    details,
  );
}

function faultsIn(error: unknown): readonly string[] {
  return error instanceof UserError && error.details.length > 0 ? error.details : [describeError(error)];
}
