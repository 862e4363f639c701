import type { Command } from "commander";
import { examine } from "../app/doctor/examine.ts";
import type { Finding } from "../app/doctor/finding.ts";
import { readSurroundings } from "../config.ts";
import { createLog } from "../log.ts";
import { timeHere } from "./local-address.ts";
import { ExitError } from "./run.ts";

export function addDoctorCommand(program: Command, env: NodeJS.ProcessEnv): void {
  program
    .command("doctor")
    .description("Looks at everything that Earshot needs, without telling anybody, and says what to do.")
    .option("--config <file>", "configuration (default: earshot.yaml)")
    .option("--json", "one JSON array on standard output", false)
    .addHelpText(
      "after",
      "\nOne login at the source, one look at each receiver; no message is sent.\nExit codes: 0 nothing failed (there may be warnings), 1 something failed.",
    )
    .action(async (options: { config?: string; json: boolean }) => {
      const surroundings = readSurroundings(env);
      const findings = await examine({
        surroundings,
        env,
        file: options.config ?? surroundings.configFile,
        clock: await timeHere(surroundings.home),
        log: createLog({ level: "silent" }),
      });
      console.log(options.json ? JSON.stringify(findings, null, 2) : table(findings));
      const failed = findings.filter(({ state }) => state === "fail").length;
      if (failed > 0) throw new ExitError(failed === 1 ? "1 check failed" : `${failed} checks failed`, 1);
    });
}

function table(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length));
  return findings
    .flatMap(({ what, state, found, advice }) => {
      const line = `${state.padEnd(4)}  ${oneLine(what).padEnd(width)}  ${oneLine(found)}`;
      return advice === null ? [line] : [line, `${" ".repeat(width + 8)}→ ${oneLine(advice)}`];
    })
    .join("\n");
}

/** Names and answers come from outside; none of them moves the cursor. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
}
