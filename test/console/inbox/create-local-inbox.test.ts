import { WebClient } from "@slack/web-api";
import { createTransport } from "nodemailer";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLocalInbox, type LocalInbox } from "../../../src/console/inbox/create-local-inbox.ts";
import type { InboxStore } from "../../../src/console/inbox/inbox-store.ts";
import { createManualClock } from "../../../src/lib/clock.ts";
import { createLog } from "../../../src/lib/log.ts";
import { createMemoryInboxStore } from "../../fakes/memory-inbox-store.ts";

const log = createLog({ level: "silent" });
const clock = createManualClock(Date.UTC(2026, 1, 23, 16, 40));
let store: InboxStore;
let inbox: LocalInbox;
let slack: WebClient;

beforeEach(async () => {
  store = createMemoryInboxStore();
  inbox = await createLocalInbox({ store, clock, log }, { token: "xoxb-local" });
  slack = connect("xoxb-local");
});
afterEach(() => inbox.close());

describe("the local Slack", () => {
  it("keeps messages in order, also if the clock does not move, and edits them in place", async () => {
    const first = await slack.chat.postMessage({ channel: "#alerts", text: "one" });
    const second = await slack.chat.postMessage({ channel: "alerts", text: "two" });
    expect(second.channel).toBe(first.channel);
    expect(Number(second.ts)).toBeGreaterThan(Number(first.ts));
    await slack.chat.update({ channel: first.channel ?? "", ts: first.ts ?? "", text: "one, edited" });
    const history = await slack.conversations.history({ channel: first.channel ?? "" });
    expect(history.messages?.map(({ text }) => text)).toEqual(["two", "one, edited"]);
  });

  it("goes on where an earlier run stopped", async () => {
    const first = await slack.chat.postMessage({ channel: "#alerts", text: "one" });
    await inbox.close();
    inbox = await createLocalInbox({ store, clock, log }, { token: "xoxb-local" });
    slack = connect("xoxb-local");
    const second = await slack.chat.postMessage({
      channel: first.channel ?? "",
      text: "two",
      thread_ts: first.ts ?? "",
    });
    expect(second).toMatchObject({ channel: first.channel, message: { thread_ts: first.ts } });
    expect(Number(second.ts)).toBeGreaterThan(Number(first.ts));
  });

  it("shows replies in their thread, and in the channel only when they were sent there, too", async () => {
    const { channel = "", ts = "" } = await slack.chat.postMessage({ channel: "#alerts", text: "first" });
    await slack.chat.postMessage({ channel, thread_ts: ts, text: "quiet" });
    await slack.chat.postMessage({ channel, thread_ts: ts, text: "loud", reply_broadcast: true });
    const history = await slack.conversations.history({ channel });
    const replies = await slack.conversations.replies({ channel, ts });
    expect(history.messages?.map(({ text }) => text)).toEqual(["loud", "first"]);
    expect(replies.messages?.map(({ text }) => text)).toEqual(["first", "quiet", "loud"]);
  });

  it("gives metadata to who asks for it, page by page", async () => {
    for (const id of ["a", "b", "c"]) {
      const metadata = { event_type: "x", event_payload: { id } };
      await slack.chat.postMessage({ channel: "#alerts", text: id, metadata });
    }
    const [{ id: channel = "" } = {}] = (await slack.conversations.list()).channels ?? [];
    const page = await slack.conversations.history({ channel, limit: 2, include_all_metadata: true });
    expect(page.messages?.map(({ metadata }) => metadata?.event_payload)).toEqual([{ id: "c" }, { id: "b" }]);
    const cursor = page.response_metadata?.next_cursor ?? "";
    const rest = await slack.conversations.history({ channel, limit: 2, cursor });
    expect(rest.messages?.map(({ text }) => text)).toEqual(["a"]);
    expect(rest.messages?.[0]?.metadata).toBeUndefined();
  });

  it.each([
    ["no text", { text: "" }, "no_text"],
    [
      "51 blocks",
      { text: "x", blocks: Array.from({ length: 51 }, () => ({ type: "divider" })) },
      "invalid_blocks",
    ],
    ["a header of 151 characters", { text: "x", blocks: [header("x".repeat(151))] }, "invalid_blocks"],
    ["an empty header", { text: "x", blocks: [header("")] }, "invalid_blocks"],
    ["a section of 3001 characters", { text: "x", blocks: [section("x".repeat(3001))] }, "invalid_blocks"],
    [
      "blocks of 15,000 characters",
      { text: "x", blocks: Array(5).fill(section("x".repeat(2990))) },
      "msg_blocks_too_long",
    ],
    ["a thread that is not there", { text: "x", thread_ts: "1.000001" }, "thread_not_found"],
  ])("refuses %s as Slack does", async (_, message, code) => {
    await expect(slack.apiCall("chat.postMessage", { channel: "#alerts", ...message })).rejects.toThrow(code);
  });

  it("takes a file in three steps, and shows it in a thread and in a message once it is there", async () => {
    const { channel = "", ts = "" } = await slack.chat.postMessage({ channel: "#alerts", text: "one" });
    const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
    const asked = await slack.files.getUploadURLExternal({ filename: "counts.png", length: bytes.length });
    const { upload_url: url = "", file_id: id = "" } = asked;
    const shown = [{ type: "image", slack_file: { id }, alt_text: "a chart" }];
    const show = () => slack.apiCall("chat.update", { channel, ts, text: "one", blocks: shown });
    const complete = () =>
      slack.files.completeUploadExternal({
        files: [{ id, title: "Counts" }],
        channel_id: channel,
        thread_ts: ts,
      });
    await expect(complete()).rejects.toThrow("file_update_failed");
    await expect(show()).rejects.toThrow("invalid_blocks");
    const upload = async (body: Uint8Array, to = url) => (await fetch(to, { method: "POST", body })).status;
    expect(await upload(bytes.slice(1))).toBe(404);
    expect(await upload(bytes, url.replace(id, "F000000000"))).toBe(404);
    expect(await upload(bytes)).toBe(200);
    await complete();
    await show();
    const replies = await slack.conversations.replies({ channel, ts });
    expect(replies.messages?.[1]).toMatchObject({ thread_ts: ts, files: [{ id, title: "Counts" }] });
    expect(await store.findFile(id)).toMatchObject({ type: "image/png", name: "counts.png" });
    await expect(complete()).rejects.toThrow("file_not_found");
    await expect(slack.files.getUploadURLExternal({ filename: "x", length: 0 })).rejects.toThrow(
      "invalid_arguments",
    );
  });

  it.each([
    ["a row without elements", { type: "actions", elements: [] }],
    ["two elements of one name", { type: "actions", elements: [button("a"), button("a")] }],
    [
      "a choice of nothing",
      { type: "actions", elements: [{ type: "static_select", placeholder: plain("x"), options: [] }] },
    ],
    ["a button of 76 characters", { type: "actions", elements: [button("a", "x".repeat(76))] }],
    ["a picture that nobody uploaded", { type: "image", slack_file: { id: "F012345678" }, alt_text: "x" }],
    [
      "a picture without a word for those who cannot see it",
      { type: "image", slack_file: { id: "F012345678" }, alt_text: "" },
    ],
  ])("refuses %s as Slack does", async (_, block) => {
    const message = { channel: "#alerts", text: "x", blocks: [block] };
    await expect(slack.apiCall("chat.postMessage", message)).rejects.toThrow("invalid_blocks");
  });

  it("refuses a wrong token, an unknown channel and an unknown method", async () => {
    await expect(connect("xoxb-wrong").auth.test()).rejects.toThrow("invalid_auth");
    await expect(slack.conversations.history({ channel: "C0123456789" })).rejects.toThrow(
      "channel_not_found",
    );
    await expect(slack.apiCall("chat.shout")).rejects.toThrow("unknown_method");
  });
});

describe("the local mailbox", () => {
  it("keeps what a reader would see, and the headers", async () => {
    const transport = createTransport({ ...inbox.smtp, secure: false });
    await transport.sendMail({
      from: { name: "Earshot", address: "earshot@example.com" },
      to: "duty@example.org",
      subject: "Grüße 👋",
      text: "text\0 part",
      html: "<p>html part</p>",
      messageId: "<one@example.com>",
      inReplyTo: "<zero@example.com>",
      references: ["<root@example.com>", "<zero@example.com>"],
    });
    transport.close();
    const [mail] = await store.list({ kind: "email", limit: 10 });
    expect(mail).toMatchObject({
      from: "earshot@example.com",
      to: ["duty@example.org"],
      subject: "Grüße 👋",
      html: "<p>html part</p>",
      messageId: "<one@example.com>",
      inReplyTo: "<zero@example.com>",
      references: ["<root@example.com>", "<zero@example.com>"],
      receivedAt: clock.now(),
    });
    expect(JSON.stringify(mail)).not.toContain("\\u0000");
    expect(mail?.kind === "email" && mail.headers.find(({ name }) => name === "From")?.value).toContain(
      "Earshot",
    );
  });

  it("keeps the pictures that its HTML shows", async () => {
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
    const transport = createTransport({ ...inbox.smtp, secure: false });
    await transport.sendMail({
      from: "earshot@example.com",
      to: "duty@example.org",
      html: '<img src="cid:chart@earshot">',
      attachments: [
        { filename: "chart.png", cid: "chart@earshot", content: png },
        { filename: "notes.txt", content: "notes" },
      ],
    });
    transport.close();
    const [mail] = await store.list({ kind: "email", limit: 10 });
    expect(mail).toMatchObject({ pictures: [{ cid: "chart@earshot" }] });
    const [picture] = (mail?.kind === "email" && mail.pictures) || [];
    const file = await store.findFile(picture?.file ?? "");
    expect(file).toMatchObject({ name: "chart.png", type: "image/png" });
    expect(Buffer.from(file?.bytes ?? [])).toEqual(png);
  });
});

function connect(token: string): WebClient {
  return new WebClient(token, { slackApiUrl: inbox.slackApiUrl, retryConfig: { retries: 0 } });
}

function header(text: string) {
  return { type: "header", text: { type: "plain_text", text } };
}

function section(text: string) {
  return { type: "section", text: { type: "mrkdwn", text } };
}

function plain(text: string) {
  return { type: "plain_text", text };
}

function button(actionId: string, text = "x") {
  return { type: "button", action_id: actionId, text: plain(text) };
}
