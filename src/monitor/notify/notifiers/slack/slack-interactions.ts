import { describeError } from "../../../../lib/errors.ts";
import type { Logger } from "../../../../lib/log.ts";
import type { Interactions, ListenDeps } from "../../define-notifier.ts";
import type { SocketParts } from "./listen-socket.ts";
import { createSlackActions, type HandledInteraction } from "./slack-actions.ts";
import { type SlackApp, type SlackConfig, slackApps } from "./slack-config.ts";
import { createSlackEndpoint } from "./slack-endpoint.ts";

/** Slack posts clicks to the console, or sends them over a socket of the app. */
export const slackInteractions: Interactions<SlackConfig> = {
  endpoint: (configs, { actions, wall, log }) => {
    const apps = slackApps(configs).filter(({ signingSecret }) => signingSecret !== undefined);
    if (apps.length === 0) return null;
    return createSlackEndpoint({ apps, handle: createSlackActions({ actions, log }), wall, log });
  },
  connections: slackApps,
  listen: (configs, { actions, log, signal, onConnection }) => {
    const handle = createSlackActions({ actions, log });
    return listenToSlack({ apps: slackApps(configs), handle, log, signal, onConnection });
  },
};

/** Opens a socket for each app with an app-level token. Resolves when the signal has closed them all. */
async function listenToSlack(parts: {
  readonly apps: readonly SlackApp[];
  readonly handle: (payload: unknown, app: SlackApp) => Promise<HandledInteraction>;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly onConnection: ListenDeps["onConnection"];
}): Promise<void> {
  const { handle, log, signal, onConnection } = parts;
  const apps = parts.apps.flatMap((app) =>
    app.appToken === undefined ? [] : [{ app, appToken: app.appToken }],
  );
  if (apps.length === 0) return;
  // Only here: it brings a WebSocket, which a process without such an app does not wait for.
  const { listenSocket } = await import("./listen-socket.ts");
  await Promise.all(
    apps.map(async ({ app, appToken }, index) => {
      const name = index === 0 ? "slack" : `slack ${index + 1}`;
      const onState: SocketParts["onState"] = (problem) => onConnection(name, problem);
      const { apiUrl } = app;
      const onInteraction = async (payload: unknown): Promise<void> => {
        await handle(payload, app);
      };
      await listenSocket({ config: { apiUrl, appToken }, onInteraction, onState, log, signal }).catch(
        (error: unknown) =>
          log.error({ reason: describeError(error) }, "slack: the socket for buttons stopped"),
      );
    }),
  );
}
