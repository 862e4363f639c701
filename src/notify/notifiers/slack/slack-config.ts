import { z } from "zod";
import { durationBetween } from "../../../lib/duration.ts";
import type { Issue } from "../../../lib/fault.ts";
import { HOUR, SECOND } from "../../../lib/instant.ts";
import type { ConfigAround } from "../../define-notifier.ts";

/** A receiver in Slack, as people write it. */
export const SlackConfig = z.strictObject({
  kind: z.literal("slack"),
  /** Name (`#alerts`) or id (`C0123456789`) of a channel that the app was invited to. */
  channel: z.string().min(1).max(100),
  /** Bot token of the Slack app. */
  token: z
    .string()
    .min(1)
    .refine(
      (token) => !token.startsWith("xapp-"),
      "this is an app-level token; expected the bot token (xoxb-…)",
    )
    .refine(
      (token) => !token.startsWith("https:"),
      "this is a webhook's address; expected the bot token (xoxb-…)",
    ),
  /** App-level token, for buttons over Socket Mode, which needs no public address. */
  appToken: z
    .string()
    .regex(/^xapp-/, "expected an app-level token (xapp-…) with the scope connections:write")
    .exactOptional(),
  /** The app's signing secret, for buttons over HTTP: Slack posts them to `<web.publicUrl>/slack/interactions`. */
  signingSecret: z
    .string()
    .regex(
      /^(?!xox|xapp)[\w-]{16,}$/,
      "expected the signing secret of the app (Basic Information, App Credentials)",
    )
    .exactOptional(),
  /** The least time between two messages to the channel, after a burst of a few. 0s: no limit. */
  postEvery: durationBetween(0, HOUR).default(SECOND),
  /** The least time between two edits of a growing message. What a person does shows at once. */
  editEvery: durationBetween(0, HOUR).default(30 * SECOND),
  /** Another Slack API, such as the local one of the demo and the tests. */
  apiUrl: z.url({ protocol: /^https?$/ }).default("https://slack.com/api/"),
});
export type SlackConfig = z.output<typeof SlackConfig>;

/** Whether anybody listens to the buttons. */
export function hasButtons({
  appToken,
  signingSecret,
}: Pick<SlackConfig, "appToken" | "signingSecret">): boolean {
  return appToken !== undefined || signingSecret !== undefined;
}

/** Slack posts interactions to a public address, unless the receiver uses Socket Mode. */
export function buttonFaults(
  { appToken, signingSecret }: SlackConfig,
  { publicUrl }: ConfigAround,
): readonly Issue[] {
  if (signingSecret === undefined || appToken !== undefined || publicUrl !== null) return [];
  return [
    {
      path: ["signingSecret"],
      message:
        "buttons over HTTP need web.publicUrl, for Slack posts to <web.publicUrl>/slack/interactions; buttons over Socket Mode need appToken instead, and no address",
    },
  ];
}
