import { vi } from "vitest";
import { run } from "../../src/cli/common/run.ts";
import { createProgram } from "../../src/cli/create-program.ts";

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of `earshot` inside this process and returns its output. */
export async function runCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const written = { stdout: "", stderr: "" };
  const { log, error } = console;
  const write = process.stdout.write;
  const before = process.exitCode;
  process.exitCode = 0;
  console.log = (...words: unknown[]) => {
    written.stdout += `${words.join(" ")}\n`;
  };
  console.error = (...words: unknown[]) => {
    written.stderr += `${words.join(" ")}\n`;
  };
  process.stdout.write = (text: string | Uint8Array) => {
    written.stdout += text.toString();
    return true;
  };
  try {
    await run(await createProgram(env, args), ["node", "earshot", ...args]);
    return { ...written, exitCode: Number(process.exitCode) };
  } finally {
    Object.assign(console, { log, error });
    process.stdout.write = write;
    process.exitCode = before;
  }
}

/** What a command prints; its error as it was thrown. */
export async function printOf(words: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => {
    lines.push(line);
  });
  try {
    const program = await createProgram(env, words);
    await program.parseAsync(["node", "earshot", ...words]);
  } finally {
    log.mockRestore();
  }
  return lines.join("\n");
}
