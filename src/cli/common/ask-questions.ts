import { createInterface } from "node:readline/promises";
import { UserError } from "../../lib/errors.ts";
import { InterruptedError } from "../../lib/stop-signal.ts";

/** Asks one question after another. A wrong answer (undefined) is asked again, after a line of help. */
export interface Questions {
  ask<Answer>(question: string, read: (text: string) => Answer | undefined, help: string): Promise<Answer>;
  /** Prints a line between two questions. */
  say(line: string): void;
}

/** Ctrl-C, or the end of the input, rejects with an InterruptedError. */
export async function withQuestions<Result>(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  work: (questions: Questions) => Promise<Result>,
): Promise<Result> {
  const stopped = new AbortController();
  const lines = createInterface({ input, output });
  lines.on("SIGINT", () => stopped.abort());
  lines.on("close", () => stopped.abort());
  try {
    return await work({
      ask: async (question, read, help) => {
        for (;;) {
          const text = await lines.question(question, { signal: stopped.signal });
          const answer = read(text.trim());
          if (answer !== undefined) return answer;
          output.write(`  ${help}\n`);
        }
      },
      say: (line) => void output.write(`${line}\n`),
    });
  } catch (error) {
    if (stopped.signal.aborted) throw new InterruptedError("stopped");
    throw error;
  } finally {
    lines.close();
  }
}

/** Asks on a terminal whether to do it. Without a yes it throws a UserError, after Ctrl-C an InterruptedError. */
export async function askForYes(question: string): Promise<void> {
  const isAgreed = await withQuestions(process.stdin, process.stderr, ({ ask }) =>
    ask(`${question} yes or no: `, (text) => /^y(es)?$/i.test(text), ""),
  );
  if (!isAgreed) throw new UserError("Nothing was changed.");
}

/** Names with commas between them; undefined if there is none. */
export function listIn(text: string): readonly string[] | undefined {
  const named = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return named.length === 0 ? undefined : named;
}
