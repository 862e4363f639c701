import { type Config, parseConfig } from "../config.ts";
import { LOCAL_ACCOUNT } from "./local-account.ts";
import type { LocalParts } from "./local-parts.ts";

/** The configuration of demo and replay: the shipped rules, with notifications to the local Slack and mailbox. */
export function localConfig(
  parts: Pick<LocalParts, "apiUrl" | "slackApiUrl" | "smtp" | "secrets">,
  more: {
    rules: string;
    templates: string;
    pollEvery?: string;
    updatesEvery?: string;
    history?: string;
    lookback?: string;
    timezone?: string;
    /** Whether something listens to the buttons of messages. */
    buttons?: boolean;
  },
): Config {
  const slack = (name: string, channel: string) => ({
    name,
    kind: "slack",
    channel,
    token: parts.secrets.slackToken,
    apiUrl: parts.slackApiUrl,
    ...(more.buttons === true && { signingSecret: parts.secrets.signingSecret }),
    // The local Slack has no rate limit, and its clock runs faster than wall time.
    postEvery: "0s",
    editEvery: "1s",
  });
  const email = (name: string, to: string) => ({
    name,
    kind: "email",
    to,
    from: "earshot@earshot.local.example",
    smtp: parts.smtp,
  });
  return parseConfig({
    source: {
      baseUrl: parts.apiUrl,
      ...LOCAL_ACCOUNT,
      password: parts.secrets.password,
      pollEvery: more.pollEvery ?? "1m",
      updatesEvery: more.updatesEvery ?? "5m",
      history: more.history ?? "3d",
      lookback: more.lookback ?? "30d",
    },
    receivers: [
      slack("comms", "#brand-alerts"),
      slack("crisis", "#crisis"),
      email("on-call", "on-call@brand.example"),
      email("stakeholders", "stakeholders@brand.example"),
    ],
    routes: [
      {
        name: "crisis",
        match: { severity: "critical" },
        receivers: ["crisis", "on-call"],
        repeatEvery: "4h",
        continue: true,
      },
      { name: "warnings", match: { severity: "warning" }, receivers: ["comms"], repeatEvery: "12h" },
      // One message about a keyword is enough; its end is no news.
      { name: "notes", receivers: ["comms"], repeatEvery: "never", sendResolved: false },
    ],
    // One crisis is one alert: its message covers the alerts that it causes.
    inhibitions: [
      {
        name: "crisis-first",
        while: { rule: "crisis-spike" },
        mute: { rule: ["volume-spike", "negative-share-surge", "influential-negative", "safety-category"] },
      },
    ],
    digests: [
      { name: "morning-read", at: "08:00", timezone: more.timezone ?? "UTC", receivers: ["stakeholders"] },
    ],
    // The console sets its real address when it opens; interactions come from this machine.
    ...(more.buttons === true && { web: { publicUrl: "http://127.0.0.1" } }),
    rules: more.rules,
    templates: more.templates,
    timezone: more.timezone ?? "UTC",
    retention: "400d",
  });
}
