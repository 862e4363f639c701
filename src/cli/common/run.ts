import { type Command, CommanderError } from "commander";
import { describeError, UserError } from "../../lib/errors.ts";
import { InterruptedError } from "../../lib/stop-signal.ts";
import { NobodyReadsError, printError } from "./print.ts";

/** An error in the user's input: the same code as for a wrong flag. */
const EXIT_USER = 2;
const EXIT_FAILED = 1;
const EXIT_INTERRUPTED = 130;

/** Runs the command line and turns any error into a message and an exit code. */
export async function run(program: Command, argv: readonly string[]): Promise<void> {
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = report(error);
  }
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USER;
  if (error instanceof UserError) {
    printError(`earshot: ${error.message}`);
    for (const detail of error.details) printError(`  ${detail}`);
    return EXIT_USER;
  }
  if (error instanceof InterruptedError) return EXIT_INTERRUPTED;
  if (error instanceof NobodyReadsError) return 0;
  if (error instanceof ExitError) {
    printError(`earshot: ${error.message}`);
    return error.exitCode;
  }
  printError(`earshot: ${describeError(error)}`);
  return EXIT_FAILED;
}

/** A failure with its own exit code, documented in the help of its command. */
export class ExitError extends Error {
  override readonly name = "ExitError";
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}
