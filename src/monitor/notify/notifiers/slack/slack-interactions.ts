import type { Interactions } from "../../define-notifier.ts";
import { listenToSlack } from "./listen-to-slack.ts";
import { createSlackActions } from "./slack-actions.ts";
import { type SlackConfig, slackApps } from "./slack-config.ts";
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
