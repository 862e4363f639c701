import { createHash } from "node:crypto";
import { z } from "zod";
import { durationBetween } from "../../../../lib/duration.ts";
import type { Issue } from "../../../../lib/errors.ts";
import { HttpAddress } from "../../../../lib/http-address.ts";
import { HOUR } from "../../../../lib/instant.ts";
import { isLoopback } from "../../../../lib/listening.ts";
import type { ChannelLimit, ConfigContext } from "../../define-notifier.ts";

/** A receiver in Slack, as people write it. */
export const SlackConfig = z.strictObject({
  kind: z.literal("slack").describe("Posts to a channel in Slack."),
  channel: z
    .string()
    .min(1)
    .max(100)
    .describe(
      'Name or id of a channel that the app was invited to. Example: "#brand-alerts" (in quotation marks)',
    ),
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
    )
    .meta({
      pattern: "^(?!xapp-|https:)",
      patternErrorMessage: "expected the bot token (xoxb-…)",
      description: "Bot token of the Slack app (xoxb-…).",
      writeOnly: true,
    }),
  appToken: z
    .string()
    .regex(/^xapp-/, "expected an app-level token (xapp-…) with the scope connections:write")
    .exactOptional()
    .meta({
      description:
        "App-level token (xapp-…, scope connections:write), for buttons over Socket Mode, which needs no public address.",
      writeOnly: true,
    }),
  signingSecret: z
    .string()
    .regex(
      /^(?!xox|xapp)[\w-]{16,}$/,
      "expected the signing secret of the app (Basic Information, App Credentials)",
    )
    .exactOptional()
    .meta({
      description:
        "Signing secret of the app (Basic Information, App Credentials), for buttons over HTTP. Slack posts them to <web.publicUrl>/slack/interactions.",
      writeOnly: true,
    }),
  postEvery: durationBetween(0, HOUR)
    .prefault("1s")
    .describe("The least time between two messages to the channel, after a burst of a few. 0s: no limit."),
  editEvery: durationBetween(0, HOUR)
    .prefault("30s")
    .describe("The least time between two edits of a growing message. What a person does shows at once."),
  apiUrl: HttpAddress.default("https://slack.com/api/").describe("Another Slack API, for tests."),
});
export type SlackConfig = z.output<typeof SlackConfig>;

/** Whether anybody listens to the buttons. */
export function hasButtons({
  appToken,
  signingSecret,
}: Pick<SlackConfig, "appToken" | "signingSecret">): boolean {
  return appToken !== undefined || signingSecret !== undefined;
}

/** Slack posts interactions to a public address, unless the receiver uses Socket Mode, or its Slack is on this machine. */
export function buttonFaults(
  { apiUrl, appToken, signingSecret }: SlackConfig,
  { publicUrl }: ConfigContext,
): readonly Issue[] {
  if (signingSecret === undefined || appToken !== undefined || publicUrl !== null) return [];
  if (isLoopback(new URL(apiUrl).hostname)) return [];
  return [
    {
      path: ["signingSecret"],
      message:
        "buttons over HTTP need web.publicUrl, for Slack posts to <web.publicUrl>/slack/interactions; buttons over Socket Mode need appToken instead, and no address",
    },
  ];
}

/** Slack allows about a message a second in a channel, and a few more at once after a pause. */
const BURST = 5;

/** An app may call `chat.update` about fifty times a minute, for all channels together. */
const EDIT_EVERY_MS = 1_200;

/** The rate limit of messages, which Slack counts by channel. */
export function postLimit(config: SlackConfig): ChannelLimit {
  const keyOf = (channel: string): string => `slack/${channel}/${appMark(config)}`;
  return {
    key: keyOf(config.channel.replace(/^#/, "")),
    // A channel may be configured by name here and by id there: Slack answers with the id.
    vendorKey: ({ channel }) => (channel === undefined ? undefined : keyOf(channel)),
    everyMs: config.postEvery,
    burst: BURST,
  };
}

/** The rate limit of edits, which Slack counts by app. */
export function editLimit(config: SlackConfig): ChannelLimit {
  const everyMs = config.postEvery === 0 ? 0 : EDIT_EVERY_MS;
  return { key: `slack-edits/${appMark(config)}`, everyMs, burst: BURST };
}

/** Distinguishes apps, for two workspaces may have a channel of the same name. A hash, so it reveals nothing. */
function appMark({ token, apiUrl }: SlackConfig): string {
  return createHash("sha256").update(`${apiUrl} ${token}`).digest("hex").slice(0, 8);
}

/** A Slack app that receives clicks: receivers with the same token share it. */
export type SlackApp = Pick<SlackConfig, "token" | "apiUrl" | "appToken" | "signingSecret">;

/** The apps of those in Slack that can receive clicks. A receiver without own credentials uses those of its app. */
export function slackApps(notifiers: readonly { readonly kind: string }[]): readonly SlackApp[] {
  const apps = new Map<string, SlackApp>();
  for (const { token, apiUrl, appToken, signingSecret } of notifiers.filter(isSlack)) {
    const known = apps.get(`${apiUrl} ${token}`);
    apps.set(`${apiUrl} ${token}`, {
      token,
      apiUrl,
      ...pick("appToken", appToken ?? known?.appToken),
      ...pick("signingSecret", signingSecret ?? known?.signingSecret),
    });
  }
  return [...apps.values()].filter(
    ({ appToken, signingSecret }) => appToken !== undefined || signingSecret !== undefined,
  );
}

function isSlack(notifier: { readonly kind: string }): notifier is SlackConfig {
  return notifier.kind === "slack";
}

function pick<Name extends string>(name: Name, value: string | undefined): { [N in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { [N in Name]: string });
}
