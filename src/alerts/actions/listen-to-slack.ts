import { describeError } from "../../lib/errors.ts";
import type { Logger } from "../../log.ts";
import { listenSocket } from "../../notify/notifiers/slack/listen-socket.ts";
import type { SlackApp } from "../../notify/notifiers/slack/slack-config.ts";
import type { HandledInteraction } from "./slack-actions.ts";

/** Opens a socket for each app with an app-level token. Resolves when the signal has closed them all. */
export async function listenToSlack(parts: {
  readonly apps: readonly SlackApp[];
  readonly interaction: (payload: unknown, app: SlackApp) => Promise<HandledInteraction>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { interaction, log, signal } = parts;
  await Promise.all(
    parts.apps.map(async (app) => {
      const { appToken, apiUrl } = app;
      if (appToken === undefined) return;
      const onInteraction = async (payload: unknown): Promise<void> => {
        await interaction(payload, app);
      };
      await listenSocket({ config: { apiUrl, appToken }, onInteraction, log, signal }).catch(
        (error: unknown) =>
          log.error({ reason: describeError(error) }, "slack: the socket for buttons stopped"),
      );
    }),
  );
}
