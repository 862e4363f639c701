import type { Command } from "commander";
import { askForReload } from "../app/reload.ts";
import { validRules, validTemplates } from "../app/validate-files.ts";
import { readEnvironment } from "../config/environment.ts";
import { loadConfig } from "../config.ts";
import { withAlertActions } from "./alerts/with-alert-actions.ts";
import { print } from "./print.ts";

/** `earshot reload`: makes the running monitor load the current configuration, rules and templates. */
export function defineReloadCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command
    .addHelpText(
      "after",
      `
Example:
  earshot reload

The files are checked first; if there is a fault, nothing changes. Every running process (earshot start) on this
database loads its own files within some seconds and logs it. SIGHUP does the same for one process. Roles, --port and
the databases stay as they were at the start.`,
    )
    .action(async () => {
      const config = await loadConfig(readEnvironment(env).configFile, env);
      await validRules(config.rules);
      await validTemplates(config.templates);
      await withAlertActions(env, ({ stores }) => askForReload(stores));
      print("Checked, no fault. Running monitors take it up within some seconds; their logs say so.");
    });
}
