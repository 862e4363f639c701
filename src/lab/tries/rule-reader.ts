import {
  compileRule,
  faultOfLength,
  LONGEST_POSTED,
  oneFault,
  type PostedText,
  type Rule,
  type RuleFaults,
  type RuleForm,
} from "#monitor";
import { BusyError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import { createWorkerPool, type WorkerOutcome } from "../../lib/worker-pool.ts";
import type { RuleTasks } from "./rule-thread.ts";

type ReadRule =
  | { readonly outcome: "Valid"; readonly rule: Rule }
  | ({ readonly outcome: "Faulty" } & RuleFaults)
  /** Others are read at the moment. */
  | { readonly outcome: "Busy" };

/** Reads rules that were typed into the console, in a thread: whatever somebody types, the loop of the process goes on. */
export interface RuleReader {
  read(posted: PostedText, signal?: AbortSignal): Promise<ReadRule>;
  /** Null if the form cannot show all of the text, or the text cannot be read. */
  formOf(text: string): Promise<RuleForm | null>;
  /** Rejects with a BusyError if it takes too long. */
  yamlOf(form: RuleForm, base: string | null): Promise<string>;
  close(): Promise<void>;
}

/** A rule of the greatest size needs a quarter of it. */
const PROCESSOR_MS = 1_000;
const LIMITS = { threads: 1, waiting: 8, memoryMb: 128 };

export function createRuleReader(log: Logger): RuleReader {
  const pool = createWorkerPool<RuleTasks>("src/lab/tries/rule-thread", LIMITS);
  const note = (read: WorkerOutcome<unknown>): void => {
    if (read.outcome === "Done" || read.outcome === "Busy") return;
    const error = read.outcome === "Failed" ? { error: read.message } : {};
    log.warn({ outcome: read.outcome, ...error }, "a rule that was typed into the console was not read");
  };
  return {
    read: async (posted, signal) => {
      const file = `${posted.name}.yaml`;
      const tooLong = faultOfLength(file, posted.text);
      if (tooLong !== null) return { outcome: "Faulty", ...tooLong };
      const read = await pool.run("readRule", posted, { processorMs: PROCESSOR_MS, signal });
      note(read);
      if (read.outcome === "Busy") return { outcome: "Busy" };
      const fault = (message: string) => ({ outcome: "Faulty", ...oneFault(file, message) }) as const;
      if (read.outcome === "Failed") return fault("this rule could not be read: the log has the reason");
      if (read.outcome !== "Done")
        return fault("this rule takes too much time or memory to read: make it simpler");
      if ("faults" in read.result) return { outcome: "Faulty", ...read.result };
      // A compiled rule is made of functions, which cannot leave the thread.
      const rule = compileRule(posted.name, read.result.content, () => {});
      return rule === undefined ? fault("this rule cannot be compiled") : { outcome: "Valid", rule };
    },
    formOf: async (text) => {
      if (text.length > LONGEST_POSTED) return null;
      const read = await pool.run("formOf", text, { processorMs: PROCESSOR_MS });
      note(read);
      return read.outcome === "Done" ? read.result : null;
    },
    yamlOf: async (form, base) => {
      const written = await pool.run("yamlOf", { form, base }, { processorMs: PROCESSOR_MS });
      note(written);
      if (written.outcome !== "Done") throw new BusyError("the rule could not be written; try again");
      return written.result;
    },
    close: pool.close,
  };
}
