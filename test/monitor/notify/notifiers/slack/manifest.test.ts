import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { SCOPES } from "../../../../../src/monitor/notify/notifiers/slack/connect.ts";
import { SLACK_PATH } from "../../../../../src/monitor/notify/notifiers/slack/slack-endpoint.ts";

const Manifest = z.strictObject({
  display_information: z.object({ name: z.string(), description: z.string().max(140) }),
  features: z.object({
    bot_user: z.object({ display_name: z.string() }),
    // Every command that the code answers: /earshot link CODE.
    slash_commands: z.tuple([z.object({ command: z.literal("/earshot"), should_escape: z.literal(false) })]),
  }),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
  settings: z.object({
    event_subscriptions: z.strictObject({
      bot_events: z.tuple([z.literal("message.channels"), z.literal("message.groups")]),
    }),
    interactivity: z.object({ is_enabled: z.literal(true), request_url: z.url().optional() }),
    socket_mode_enabled: z.literal(true),
    org_deploy_enabled: z.boolean(),
    token_rotation_enabled: z.literal(false),
  }),
});
const text = readFileSync("slack-app-manifest.yaml", "utf8");
const manifest = Manifest.parse(parse(text));

/** The scopes in Slack's reference; null: any token may call it. */
const NEEDED: Readonly<Record<string, readonly string[] | null>> = {
  "auth.test": null,
  // With an app-level token, whose scope connections:write no manifest can give.
  "apps.connections.open": null,
  "chat.postMessage": ["chat:write"],
  "chat.update": ["chat:write"],
  "conversations.list": ["channels:read", "groups:read"],
  "conversations.history": ["channels:history", "groups:history"],
  "conversations.replies": ["channels:history", "groups:history"],
  "files.getUploadURLExternal": ["files:write"],
  "files.completeUploadExternal": ["files:write"],
  "users.info": ["users:read"],
};

function calledMethods(): readonly string[] {
  const folder = "src/monitor/notify/notifiers";
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /slack.*\.ts$/.test(name),
  );
  const calls = files.flatMap((name) => [
    ...readFileSync(join(folder, name), "utf8").matchAll(
      /\b(auth|apps\.connections|chat|conversations|files|users)\.([a-z]\w+)\(/gi,
    ),
  ]);
  return [...new Set(calls.map(([, family, method]) => `${family}.${method}`))].sort();
}

test("every method that the code calls is covered by a scope of the manifest", () => {
  expect(calledMethods()).toEqual(Object.keys(NEEDED).sort());
  const { bot } = manifest.oauth_config.scopes;
  for (const method of calledMethods()) {
    for (const scope of NEEDED[method] ?? []) expect(bot, method).toContain(scope);
  }
});

test("no scope is asked for without a use, and the doctor knows what each is for", () => {
  const used = new Set(Object.values(NEEDED).flatMap((scopes) => scopes ?? []));
  // An app that was installed without the command goes on to work: the doctor says nothing.
  expect([...manifest.oauth_config.scopes.bot].sort()).toEqual([...used, "commands"].sort());
  expect(Object.keys(SCOPES).sort()).toEqual([...used].sort());
});

test("the manifest says where clicks are posted without a socket", () => {
  expect(text).toContain(SLACK_PATH);
});
