import { describeError } from "../../../../lib/errors.ts";
import type { Logger } from "../../../../lib/log.ts";
import type { HandledInteraction } from "./slack-actions.ts";
import type { SlackApp } from "./slack-config.ts";

/** Opens a socket for each app with an app-level token. Resolves when the signal has closed them all. */
export async function listenToSlack(parts: {
  readonly apps: readonly SlackApp[];
  readonly handle: (payload: unknown, app: SlackApp) => Promise<HandledInteraction>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { handle, log, signal } = parts;
  const apps = parts.apps.flatMap((app) =>
    app.appToken === undefined ? [] : [{ app, appToken: app.appToken }],
  );
  if (apps.length === 0) return;
  // Only here: it brings a WebSocket, which a process without such an app does not wait for.
  const { listenSocket } = await import("./listen-socket.ts");
  await Promise.all(
    apps.map(async ({ app, appToken }) => {
      const { apiUrl } = app;
      const onInteraction = async (payload: unknown): Promise<void> => {
        await handle(payload, app);
      };
      await listenSocket({ config: { apiUrl, appToken }, onInteraction, log, signal }).catch(
        (error: unknown) =>
          log.error({ reason: describeError(error) }, "slack: the socket for buttons stopped"),
      );
    }),
  );
}
