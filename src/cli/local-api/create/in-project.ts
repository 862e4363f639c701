import type { Command } from "commander";

/** Which project a thing is made in. */
export interface InProject {
  readonly project?: string;
  readonly client?: string;
  readonly json: boolean;
}

/** The flags of a command that makes something in a project. */
export function inProject(command: Command): Command {
  return command
    .option("--project <project>", "name or id (default: the only one)")
    .option("--client <client>", "where names of projects repeat")
    .option("--json", "answer as JSON", false);
}
