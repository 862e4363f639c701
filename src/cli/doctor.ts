import type { Command } from "commander";
import { doctor, type Finding, readEnvironment, timeHere } from "#admin";
import { cleanLine } from "#monitor";
import { createLog } from "../lib/log.ts";
import { counted } from "../lib/numbers.ts";
import { print } from "./common/print.ts";
import { ExitError } from "./common/run.ts";

export function defineDoctorCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command
    .option("--config <file>", "configuration (default: earshot.yaml)")
    .option("--json", "one JSON array on standard output", false)
    .addHelpText(
      "after",
      `
Examples:
  earshot doctor
  earshot doctor --json | jq '.[] | select(.state == "fail")'

It logs in at the source once and checks each receiver; it sends no message.
Exit codes: 0 nothing failed (there may be warnings), 1 something failed.`,
    )
    .action(async (options: { config?: string; json: boolean }) => {
      const environment = readEnvironment(env);
      const findings = await doctor({
        environment,
        env,
        file: options.config ?? environment.configFile,
        clock: await timeHere(environment.home),
        log: createLog({ level: "silent" }),
      });
      print(options.json ? JSON.stringify(findings, null, 2) : await table(findings));
      const failed = findings.filter(({ state }) => state === "fail").length;
      if (failed > 0) throw new ExitError(`${counted(failed, "check")} failed`, 1);
    });
}

async function table(findings: readonly Finding[]): Promise<string> {
  const { padToWidth, textWidth } = await import("./common/text-width.ts");
  const width = Math.max(...findings.map(({ what }) => textWidth(cleanLine(what))));
  return findings
    .flatMap(({ what, state, found, advice }) => {
      const line = `${state.padEnd(4)}  ${padToWidth(cleanLine(what), width)}  ${cleanLine(found)}`;
      return advice === null ? [line] : [line, `${" ".repeat(width + 8)}→ ${cleanLine(advice)}`];
    })
    .join("\n");
}
