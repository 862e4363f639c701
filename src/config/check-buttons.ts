import type { Issue } from "../lib/fault.ts";
import type { ConfigFile } from "./config-file.ts";
import type { ReceiverConfig } from "./receiver-config.ts";

/** Slack posts interactions to a public address, unless the receiver uses Socket Mode. */
export function checkButtons(
  { web }: Pick<ConfigFile, "web">,
  receivers: readonly ReceiverConfig[],
  issues: Issue[],
): void {
  receivers.forEach(({ notifier }, index) => {
    if (notifier.kind !== "slack" || notifier.signingSecret === undefined) return;
    if (notifier.appToken !== undefined || web.publicUrl !== undefined) return;
    issues.push({
      path: ["receivers", index, "signingSecret"],
      message:
        "buttons over HTTP need web.publicUrl, for Slack posts to <web.publicUrl>/slack/interactions; buttons over Socket Mode need appToken instead, and no address",
    });
  });
}
