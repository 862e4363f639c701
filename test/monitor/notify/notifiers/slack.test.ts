import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Notifier } from "../../../../src/monitor/notify/define-notifier.ts";
import { slack } from "../../../../src/monitor/notify/notifiers/slack.ts";
import { sampleAlertViews } from "../../../../src/monitor/templates/sample-alert-views.ts";
import {
  alertMessage,
  digestMessage,
  type NotifierFailure,
  notifierDeps,
  testNotifier,
} from "../../../contracts/notifier.ts";
import { type FakeSlack, type SlackFault, startFakeSlack } from "../../../fakes/slack.ts";

testNotifier("slack", async (deps) => {
  const fake = await startFakeSlack({ channels: ["alerts"] });
  return {
    notifier: slack.create(configOf(fake), deps),
    received: () => fake.messages(),
    secrets: [fake.token],
    close: () => fake.close(),
    failures: failuresOf(fake),
  };
});

function failuresOf(fake: FakeSlack): NotifierFailure[] {
  const fault = (name: string, what: SlackFault, outcome: Omit<NotifierFailure, "name" | "arrange">) => ({
    name,
    arrange: () => void fake.faults.push(what),
    ...outcome,
  });
  const refusal = (code: string, outcome: Omit<NotifierFailure, "name" | "arrange">) =>
    fault(code, { answer: { status: 200, body: JSON.stringify({ ok: false, error: code }) } }, outcome);
  const status = (
    code: number,
    headers: Record<string, string>,
    outcome: Omit<NotifierFailure, "name" | "arrange">,
  ) =>
    fault(`HTTP ${code}`, { answer: { status: code, headers, body: `no, not with ${fake.token}` } }, outcome);
  const away = { retryable: true, concernsChannel: true };
  return [
    status(429, { "retry-after": "17" }, { ...away, retryAfterMs: 17_000, says: /rate limit/ }),
    ...["", "abc", "Wed, 21 Oct 2099 07:28:00 GMT"].map((time) =>
      status(429, { "retry-after": time }, { ...away, retryAfterMs: null, says: /does not say how long/ }),
    ),
    status(429, { "retry-after": "-5" }, { ...away, retryAfterMs: null, says: /rate limit/ }),
    ...[429, 503].map((code) =>
      status(code, { "retry-after": "99999999999" }, { ...away, retryAfterMs: 3_600_000 }),
    ),
    status(500, {}, away),
    status(502, {}, away),
    status(503, { "retry-after": "5" }, { ...away, retryAfterMs: 5_000 }),
    status(504, {}, away),
    status(408, {}, away),
    ...[400, 401, 403, 404, 413].map((code) =>
      status(code, {}, { retryable: false, concernsChannel: false, advises: /apiUrl/ }),
    ),
    fault(
      "a proxy's page",
      { answer: { status: 200, body: `<html>login ${fake.token}` } },
      { ...away, says: /readable/ },
    ),
    ...["", "null", "[]", "{}", '{"ok":false}', '{"ok":true}', '{"ok":true,'].map((body) =>
      fault(`the answer ${body}`, { answer: { status: 200, body } }, { ...away, says: /readable/ }),
    ),
    status(204, {}, { ...away, says: /readable/ }),
    fault("a broken connection", { drop: "before" }, away),
    fault("an answer that never came", { drop: "after" }, away),
    ...Object.entries(REFUSALS).flatMap(([codes, outcome]) =>
      codes.split(" ").map((code) => refusal(code, { ...outcome, says: new RegExp(code) })),
    ),
  ];
}

/** Every error code in Slack's reference of the methods that post, with the expected result. */
const REFUSALS: Readonly<Record<string, Omit<NotifierFailure, "name" | "arrange">>> = {
  "channel_not_found not_in_channel": { retryable: false, concernsChannel: false, advises: /invite the app/ },
  "is_archived is_inactive": { retryable: false, advises: /choose another one/ },
  "invalid_auth not_authed account_inactive token_revoked token_expired": {
    retryable: false,
    advises: /put its new bot token into the receiver/,
  },
  not_allowed_token_type: { retryable: false, advises: /xoxb-/ },
  missing_scope: { retryable: false, advises: /slack-app-manifest.yaml/ },
  "no_permission access_denied ekm_access_denied restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel restricted_action_non_threadable_channel team_access_not_granted two_factor_setup_required user_is_restricted":
    { retryable: false, advises: /administrator/ },
  "org_login_required team_added_to_org": { retryable: false, advises: /wait until that is done/ },
  message_limit_exceeded: { retryable: false, advises: /administrator/ },
  "metadata_too_large invalid_metadata_format invalid_metadata_schema invalid_arguments no_text invalid_arg_name invalid_array_arg invalid_charset invalid_form_data invalid_post_type missing_post_type method_deprecated deprecated_endpoint":
    { retryable: false, advises: /fault of Earshot/ },
  "internal_error fatal_error service_unavailable request_timeout ratelimited rate_limited": {
    retryable: true,
    concernsChannel: true,
  },
  // A few useless tries are better than an alert that nobody sees; other messages do not wait for it.
  "never_heard_of failed_for_some_other_reason": { retryable: true, concernsChannel: false },
};

describe("the life of an alert in Slack", () => {
  let fake: FakeSlack;
  let notifier: Notifier;
  const options = () => ({ signal: AbortSignal.timeout(10_000) });
  const resolved = sampleAlertViews.find(({ kind }) => kind === "resolved") ?? sampleAlertViews[0];
  beforeEach(async () => {
    fake = await startFakeSlack({ channels: ["alerts"] });
    notifier = slack.create(configOf(fake), await notifierDeps());
  });
  afterEach(() => fake.close());

  it("a digest whose first try got no answer is looked for before it is posted again", async () => {
    fake.faults.push({ method: "chat.postMessage", drop: "after" });
    await expect(notifier.send(digestMessage(), options())).rejects.toThrow();
    await notifier.send(digestMessage({ attempt: 2 }), options());
    expect(await fake.messages()).toHaveLength(1);
  });

  it("the end is posted in the thread of the first message, and the first message shows it", async () => {
    const { vendorRef } = await notifier.send(alertMessage(), options());
    await notifier.send(
      alertMessage({ notificationId: "n-2", kind: "resolved", view: resolved, previous: vendorRef }),
      options(),
    );
    const [first, second] = await fake.messages();
    expect(second).toMatchObject({ threadTs: first?.ts, broadcast: false });
    expect(first?.editedAt).not.toBeNull();
    expect(JSON.stringify(first?.blocks)).toContain("✅ Resolved: Northwind");
    expect(first?.metadata?.payload).toEqual({ notification_id: "n-1" });
  });

  it("a worker that was held and lost its claim leaves the first message as it is", async () => {
    const { vendorRef: previous } = await notifier.send(alertMessage(), options());
    const beforePost = () => Promise.reject(new Error("another worker has it"));
    const late = alertMessage({ notificationId: "n-2", kind: "escalated", view: resolved, previous });
    await expect(notifier.send(late, { ...options(), beforePost })).rejects.toThrow("another worker has it");
    expect(await fake.messages()).toMatchObject([{ editedAt: null }]);
  });

  it("a message whose first try got through without an answer is found again and not repeated", async () => {
    fake.faults.push({ method: "chat.postMessage", drop: "after" });
    await expect(notifier.send(alertMessage(), options())).rejects.toMatchObject({ retryable: true });
    const { vendorRef } = await notifier.send(alertMessage({ attempt: 2 }), options());
    const messages = await fake.messages();
    expect(messages).toHaveLength(1);
    expect(vendorRef).toEqual({ channel: messages[0]?.channel, ts: messages[0]?.ts });
  });

  it("a reply whose first try got through without an answer is found in its thread", async () => {
    const { vendorRef: previous } = await notifier.send(alertMessage(), options());
    const reply = alertMessage({ notificationId: "n-2", kind: "escalated", previous });
    fake.faults.push({ method: "chat.postMessage", drop: "after" });
    await expect(notifier.send(reply, options())).rejects.toMatchObject({ retryable: true });
    await notifier.send({ ...reply, attempt: 2 }, options());
    expect(await fake.messages()).toHaveLength(2);
  });

  it("a message whose first try did not get through is posted by the second", async () => {
    fake.faults.push({ method: "chat.postMessage", drop: "before" });
    await expect(notifier.send(alertMessage(), options())).rejects.toMatchObject({ retryable: true });
    await notifier.send(alertMessage({ attempt: 2 }), options());
    expect(await fake.messages()).toHaveLength(1);
  });

  it("an app that may not read the channel posts again rather than not at all", async () => {
    fake.faults.push({
      method: "conversations.history",
      answer: { status: 200, body: '{"ok":false,"error":"missing_scope"}' },
    });
    await notifier.send(alertMessage({ attempt: 2 }), options());
    expect(await fake.messages()).toHaveLength(1);
  });

  it("the end of an alert whose first message was deleted is posted in the channel", async () => {
    const previous = { channel: "#alerts", ts: "1700000000.000001" };
    await notifier.send(alertMessage({ kind: "resolved", view: resolved, previous }), options());
    expect(await fake.messages()).toMatchObject([{ threadTs: null }]);
  });

  it("an alert whose first message was deleted is posted again, and later replies go to the new one", async () => {
    const previous = { channel: "#alerts", ts: "1700000000.000001" };
    const { vendorRef } = await notifier.send(
      alertMessage({ notificationId: "n-2", kind: "reminder", previous }),
      options(),
    );
    expect(vendorRef).not.toHaveProperty("inThread");
    const { vendorRef: reply } = await notifier.send(
      alertMessage({ notificationId: "n-3", kind: "escalated", previous: vendorRef }),
      options(),
    );
    expect(reply).toMatchObject({ inThread: vendorRef["ts"] });
    expect(await fake.messages()).toMatchObject([
      { threadTs: null },
      { threadTs: vendorRef["ts"], broadcast: true },
    ]);
  });

  it("a message posted again by a first try without an answer is found in the channel", async () => {
    const previous = {
      channel: (await notifier.send(alertMessage(), options())).vendorRef["channel"] ?? "",
      ts: "1700000000.000001",
    };
    const message = alertMessage({ notificationId: "n-2", kind: "reminder", previous });
    fake.faults.push({ method: "chat.postMessage", drop: "after" });
    await expect(notifier.send(message, options())).rejects.toMatchObject({ retryable: true });
    await notifier.send({ ...message, attempt: 2 }, options());
    expect(await fake.messages()).toHaveLength(2);
  });

  it("an edit that fails does not make the delivery fail", async () => {
    const { vendorRef: previous } = await notifier.send(alertMessage(), options());
    fake.faults.push({
      method: "chat.update",
      answer: { status: 429, headers: { "retry-after": "9" }, body: "" },
    });
    await notifier.send(
      alertMessage({ notificationId: "n-2", kind: "resolved", view: resolved, previous }),
      options(),
    );
    expect(await fake.messages()).toHaveLength(2);
  });

  it("blocks that Slack refuses are sent as plain text", async () => {
    fake.faults.push({
      method: "chat.postMessage",
      answer: { status: 200, body: '{"ok":false,"error":"invalid_blocks"}' },
    });
    await notifier.send(alertMessage(), options());
    expect(await fake.messages()).toMatchObject([{ blocks: [], text: expect.stringContaining("Northwind") }]);
  });

  it("previews are off, names are not linked, and a hung Slack ends with the signal", async () => {
    await notifier.send(alertMessage(), options());
    expect(fake.calls.at(-1)?.fields).toMatchObject({
      unfurl_links: "false",
      unfurl_media: "false",
      link_names: "false",
      parse: "none",
    });
    fake.faults.push({ hang: "before" });
    const hung = notifier.send(alertMessage(), { signal: AbortSignal.timeout(50) });
    await expect(hung).rejects.toMatchObject({ retryable: true });
  });

  it.each([
    ["channel_not_found", "channel_not_found"],
    ["fatal_error", "fatal_error"],
    ["any_word_of_a_proxy", "refused"],
  ])("the refusal %s has the code %s", async (error, code) => {
    fake.faults.push({ answer: { status: 200, body: JSON.stringify({ ok: false, error }) } });
    await expect(notifier.send(alertMessage(), options())).rejects.toMatchObject({ code });
  });

  it("a channel that Slack does not show is named by the check", async () => {
    const lost = slack.create({ ...configOf(fake), channel: "#elsewhere" }, await notifierDeps());
    await expect(lost.check(options())).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining("#elsewhere"),
    });
  });
});

function configOf(fake: FakeSlack) {
  const { token, apiUrl } = fake;
  return slack.config.parse({ kind: "slack", channel: "#alerts", token, apiUrl });
}
