import { UserError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { isPrivateUrl } from "../../lib/public-agent.ts";
import type { SecretFile } from "./write-setup.ts";

/** Beside earshot.yaml, in the folder of data, which is in no repository. */
const SLACK_TOKEN = ".earshot/slack-token";

/** The receiver that posts to a channel with the token of `slackSecret`. Throws a UserError for what cannot be used. */
export function slackReceiver({
  channel,
  token,
}: {
  readonly channel: string;
  readonly token: string;
}): JsonObject {
  const faults = [
    ...(/^[#\w]\S*$/.test(channel)
      ? []
      : ["the channel of Slack is its name, such as #brand-alerts, or its id"]),
    ...(isSlackToken(token) ? [] : ["the bot token of Slack begins with xoxb- (docs/slack.md makes one)"]),
  ];
  if (faults.length > 0) throw new UserError("Slack cannot be reached with that", faults);
  return { kind: "slack", channel, token_file: SLACK_TOKEN };
}

export function slackSecret(token: string): SecretFile {
  return { path: SLACK_TOKEN, text: `${token}\n` };
}

export function isSlackToken(text: string): boolean {
  return /^xox\S+$/.test(text);
}

/**
 * The receiver that posts to an address, which `keys` name or lead to. Whoever names an address of their own network means
 * it, as for a feed.
 */
export function webhookReceiver(url: string, keys: JsonObject = { url }): JsonObject {
  return { kind: "webhook", ...keys, ...(isPrivateUrl(url) && { allowPrivateAddress: true }) };
}
