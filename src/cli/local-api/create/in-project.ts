import type { Command } from "commander";

/** The project in which something is created. */
export interface InProject {
  readonly project?: string;
  readonly client?: string;
  readonly json: boolean;
}

/** Adds the flags of a command that creates something in a project. */
export function inProject(command: Command): Command {
  return command
    .option("--project <project>", "name or id (default: the only one)")
    .option("--client <client>", "where names of projects repeat")
    .option("--json", "answer as JSON", false);
}
