import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type {
  LiveMessage,
  Notifier,
  UpdateResult,
  VendorRef,
} from "../../../../../src/monitor/notify/define-notifier.ts";
import { slack } from "../../../../../src/monitor/notify/notifiers/slack.ts";
import { sampleAlertViews } from "../../../../../src/monitor/templates/sample-alert-views.ts";
import { alertMessage, notifierDeps } from "../../../../contracts/notifier.ts";
import { type FakeSlack, type SlackFault, startFakeSlack } from "../../../../fakes/slack.ts";

const ALERT = "019c0000-0000-7000-8000-000000000001";
/** The local Slack only checks the first bytes of a PNG. */
const PNG = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  readFileSync(import.meta.filename),
]);
const [fired] = sampleAlertViews;
/** So far. */
const negative = (count: number) => ({ mentionsCount: count, counted: `${count} negative mentions` });

describe("the message of an alert in Slack", () => {
  let fake: FakeSlack;
  let notifier: Notifier;
  let ref: VendorRef;
  afterEach(() => fake.close());

  async function start(options: { scopes?: readonly string[]; appToken?: boolean } = {}): Promise<void> {
    fake = await startFakeSlack({ channels: ["alerts"], ...(options.scopes && { scopes: options.scopes }) });
    const { token, apiUrl, appToken } = fake;
    const config = { kind: "slack", channel: "#alerts", token, apiUrl, postEvery: "0s", editEvery: "0s" };
    notifier = slack.create(
      slack.config.parse({ ...config, ...(options.appToken && { appToken }) }),
      await notifierDeps(),
    );
    ref = (await notifier.send(alertMessage({ alertId: ALERT }), { signal: signal() })).vendorRef;
  }

  async function updateMessage(
    over: Partial<LiveMessage> = {},
    mayPost = true,
    until = signal(),
  ): Promise<UpdateResult | undefined> {
    const message = { notificationId: "n-1", alertId: ALERT, attempt: 1, view: fired, previous: ref };
    return notifier.liveMessages?.updateMessage(
      { chart: async () => PNG, ...message, ...over },
      {
        signal: until,
        mayPost: async () => mayPost,
        beforePost: async () => {},
        onRef: async (next) => {
          ref = next;
        },
      },
    );
  }

  async function showAll(over: Partial<LiveMessage> = {}): Promise<UpdateResult | undefined> {
    for (let attempt = 1; attempt < 10; attempt++) {
      const shown = await updateMessage({ attempt, ...over });
      if (shown?.finished === true) return shown;
    }
    throw new Error("it is never finished");
  }

  const signal = () => AbortSignal.timeout(10_000);
  const root = async () => (await fake.messages()).find(({ threadTs }) => threadTs === null);
  const replies = async () => (await fake.messages()).filter(({ threadTs }) => threadTs !== null);
  const calls = (method: string) => fake.calls.filter((call) => call.method === method).length;

  describe("with every scope", () => {
    beforeEach(() => start({ appToken: true }));

    it("comes first and alone; details and chart follow in its thread, and the chart is in it", async () => {
      expect(await fake.messages()).toHaveLength(1);
      await showAll();
      const [details, picture] = await replies();
      expect(JSON.stringify(details?.blocks)).toContain("Further mentions");
      expect(details?.metadata?.payload).toEqual({ notification_id: "n-1", part: "details" });
      const [file] = picture?.files ?? [];
      expect(Buffer.from((await fake.file(file?.id ?? "")) ?? [])).toEqual(PNG);
      expect(file?.title).toContain("Northwind");
      expect(JSON.stringify((await root())?.blocks)).toContain(`"slack_file":{"id":"${file?.id}"}`);
      expect((await replies()).every(({ broadcast }) => !broadcast)).toBe(true);
    });

    it("is edited as its alert grows, and no chart or details come twice", async () => {
      await showAll();
      await showAll({ view: { ...fired, ...negative(97) } });
      expect(JSON.stringify((await root())?.blocks)).toContain("97 negative mentions so far");
      expect(await replies()).toHaveLength(2);
      expect((await root())?.metadata?.payload).toEqual({ notification_id: "n-1" });
    });

    const pictures = async () => (await replies()).filter(({ files }) => files !== undefined);

    it.each([
      ["files.getUploadURLExternal", "before"],
      ["files.getUploadURLExternal", "after"],
      ["upload", "after"],
      ["files.completeUploadExternal", "before"],
      ["files.completeUploadExternal", "after"],
    ] as const)("has one picture although %s breaks off %s Slack has done it", async (method, drop) => {
      fake.faults.push({ method, drop });
      await expect(updateMessage()).rejects.toMatchObject({ retryable: true });
      await showAll();
      expect(await pictures()).toHaveLength(1);
      const [picture] = await pictures();
      expect(JSON.stringify((await root())?.blocks)).toContain(picture?.files?.[0]?.id);
      expect(Object.keys(ref).filter((key) => key.startsWith("sharing") || key === "looks")).toEqual([]);
    });

    const answer = (status: number, body = "") => ({ status, headers: { "retry-after": "1" }, body });
    const trouble = answer(200, JSON.stringify({ ok: false, error: "internal_error" }));
    const OF_FILES = ["files.getUploadURLExternal", "upload", "files.completeUploadExternal"];
    const ANSWERS: readonly (readonly [string, SlackFault])[] = [
      ["asks for a pause", { answer: answer(429) }],
      ["answers 500", { answer: answer(500) }],
      ["answers 500 when it is done", { answer: answer(500), done: true }],
      ["has an internal error when it is done", { answer: trouble, done: true }],
    ];
    it.each(OF_FILES.flatMap((method) => ANSWERS.map(([what, fault]) => [method, what, fault] as const)))(
      "has one picture although %s %s",
      async (method, _what, fault) => {
        fake.faults.push({ method, ...fault });
        // Where files are uploaded an answer is its status alone.
        const failed = await updateMessage().catch((error: unknown) => error);
        if (failed instanceof Error) expect(failed).toMatchObject({ retryable: true });
        await showAll();
        expect(fake.faults).toEqual([]);
        expect(await pictures()).toHaveLength(1);
      },
    );

    it.each(
      OF_FILES.flatMap((method) => (["before", "after"] as const).map((hang) => [method, hang] as const)),
    )(
      "has one picture although nobody waits longer for an answer of %s, %s Slack has done it",
      async (method, hang) => {
        fake.faults.push({ method, hang });
        const patience = new AbortController();
        const failed = expect(updateMessage({}, true, patience.signal)).rejects.toMatchObject({
          retryable: true,
        });
        await vi.waitFor(() => expect(fake.faults).toEqual([]));
        // What is done is done by then.
        const isLast = method === "files.completeUploadExternal" && hang === "after";
        if (isLast) await vi.waitFor(async () => expect(await pictures()).toHaveLength(1));
        patience.abort();
        await failed;
        await showAll();
        expect(await pictures()).toHaveLength(1);
      },
    );

    it.each([1, 2, 3, 4, 5])(
      "has one chart although the process dies before the %d. part is stored",
      async (nth) => {
        let keeps = 0;
        const die = async (next: VendorRef): Promise<void> => {
          if (++keeps === nth) throw new Error("killed");
          ref = next;
        };
        for (let attempt = 1; attempt < 4 && keeps < nth; attempt++) {
          const message = { notificationId: "n-1", alertId: ALERT, view: fired, previous: ref };
          await notifier.liveMessages
            ?.updateMessage(
              { ...message, attempt, chart: async () => PNG },
              { signal: signal(), mayPost: async () => true, beforePost: async () => {}, onRef: die },
            )
            .catch(() => undefined);
        }
        await showAll({ attempt: 2 });
        expect(await pictures()).toHaveLength(1);
        expect((await replies()).filter(({ metadata }) => metadata !== null)).toHaveLength(1);
      },
    );

    it("waits for a chart that Slack shows late, and sends it again if Slack never shows it", async () => {
      fake.faults.push({ method: "files.completeUploadExternal", drop: "before" });
      await expect(updateMessage()).rejects.toMatchObject({ retryable: true });
      const first = ref["sharing"];
      await updateMessage({ attempt: 2 });
      expect([ref["sharing"], calls("files.getUploadURLExternal")]).toEqual([first, 1]);
      await showAll();
      expect(ref["picture"]).not.toBe(first);
      expect(await pictures()).toHaveLength(1);
    });

    it("gets a new chart when it rises, none for growth, and a last one when it is resolved", async () => {
      const mild = { ...fired, severity: "warning" as const };
      await showAll({ view: mild });
      await showAll({ view: { ...mild, notifyCount: 2 } });
      expect((await replies()).filter(({ files }) => files !== undefined)).toHaveLength(1);
      await showAll({ view: { ...fired, severity: "critical", notifyCount: 3 } });
      const pictures = (await replies()).filter(({ files }) => files !== undefined);
      expect(pictures).toHaveLength(2);
      const over = {
        ...fired,
        severity: "critical" as const,
        notifyCount: 3,
        state: "resolved" as const,
        resolvedAt: fired.openedAt + 9e5,
      };
      await showAll({ view: over });
      const all = (await replies()).filter(({ files }) => files !== undefined);
      expect(all).toHaveLength(3);
      expect(JSON.stringify((await root())?.blocks)).toContain(all[2]?.files?.[0]?.id);
      expect(JSON.stringify((await root())?.blocks)).toContain("Resolved: Northwind");
    });

    it("shows who acknowledged it, and no longer offers that action", async () => {
      const handling = {
        acknowledgedBy: "Ann <!channel>",
        assignee: null,
        closedBy: null,
        endedBecause: null,
        isRelevant: true,
        corrected: null,
      };
      await updateMessage({ view: { ...fired, state: "acknowledged", handling }, chart: null });
      const blocks = JSON.stringify((await root())?.blocks);
      expect(blocks).toContain("Acknowledged by *Ann &lt;!channel&gt;*");
      expect(blocks).not.toContain("earshot-acknowledge");
      expect(blocks).toContain("earshot-resolve");
    });

    it("is posted again, once and with all its parts, if people deleted it while its alert is open", async () => {
      await showAll();
      for (const message of await fake.messages()) await fake.remove(message);
      await showAll();
      const messages = await fake.messages();
      expect(messages.map(({ threadTs }) => threadTs === null)).toEqual([true, false, false]);
      expect(ref["ts"]).toBe(messages[0]?.ts);
    });

    it("is not posted again if its alert is resolved", async () => {
      for (const message of await fake.messages()) await fake.remove(message);
      const over = { ...fired, state: "resolved" as const, resolvedAt: fired.openedAt };
      expect(await updateMessage({ view: over })).toMatchObject({ finished: true });
      expect(await fake.messages()).toEqual([]);
    });

    it("that was posted again without our knowing is found", async () => {
      for (const message of await fake.messages()) await fake.remove(message);
      fake.faults.push({ method: "chat.postMessage", drop: "after" });
      await expect(updateMessage()).rejects.toMatchObject({ retryable: true });
      await showAll({ attempt: 2 });
      expect((await fake.messages()).filter(({ threadTs }) => threadTs === null)).toHaveLength(1);
    });

    it("details whose first try got through without an answer are found again", async () => {
      fake.faults.push({ method: "chat.postMessage", drop: "after" });
      await expect(updateMessage({ chart: null })).rejects.toMatchObject({ retryable: true });
      await updateMessage({ chart: null, attempt: 2 });
      expect(await replies()).toHaveLength(1);
    });

    it("adds nothing while the channel has no free slot, and is still up to date", async () => {
      const shown = await updateMessage({ view: { ...fired, ...negative(97) } }, false);
      expect(shown).toEqual({ finished: false, picture: null });
      expect(await fake.messages()).toHaveLength(1);
      expect(JSON.stringify((await root())?.blocks)).toContain("97 negative mentions so far");
    });

    it("shows its text although Slack still processes the chart, or never accepts it", async () => {
      await updateMessage();
      const refuse = {
        method: "chat.update",
        answer: { status: 200, body: '{"ok":false,"error":"invalid_blocks"}' },
      };
      for (let attempt = 2; attempt <= 6; attempt++) {
        fake.faults.push(refuse);
        const shown = await updateMessage({ attempt, view: { ...fired, ...negative(90 + attempt) } });
        expect(shown?.finished).toBe(attempt > 5);
        expect(JSON.stringify((await root())?.blocks)).toContain(`${90 + attempt} negative mentions so far`);
      }
      await updateMessage();
      expect(JSON.stringify((await root())?.blocks)).toContain("slack_file");
    });

    it("waits when Slack asks to, and an upload that breaks is retried", async () => {
      fake.faults.push({
        method: "chat.update",
        answer: { status: 429, headers: { "retry-after": "9" }, body: "" },
      });
      await expect(updateMessage()).rejects.toMatchObject({ retryAfterMs: 9_000, concernsChannel: true });
      for (const fault of [{ drop: "before" as const }, { answer: { status: 500, body: fake.token } }]) {
        fake.faults.push({ method: "upload", ...fault });
        const error = await updateMessage().catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ retryable: true });
        expect(String(error)).not.toContain(fake.token);
      }
      await showAll();
      expect((await replies()).filter(({ files }) => files !== undefined)).toHaveLength(1);
    });

    it("never uploads to another server than Slack's", async () => {
      fake.faults.push({
        method: "files.getUploadURLExternal",
        answer: {
          status: 200,
          body: '{"ok":true,"upload_url":"http://169.254.169.254/x","file_id":"F012345678"}',
        },
      });
      await expect(updateMessage()).rejects.toMatchObject({
        message: "Slack wanted a picture somewhere else",
      });
    });
  });

  it("has no chart without the scope for it, reports why and what to do, and tries once", async () => {
    await start({ scopes: ["chat:write", "channels:read", "channels:history"] });
    const shown = await updateMessage();
    expect(shown).toMatchObject({
      finished: true,
      picture: { outcome: "LeftOut", because: expect.stringContaining("files:write") },
    });
    await updateMessage({ view: { ...fired, ...negative(97) } });
    expect(calls("files.getUploadURLExternal")).toBe(1);
    expect(JSON.stringify((await root())?.blocks)).not.toContain("slack_file");
  });

  it("has no buttons if nobody listens to them", async () => {
    await start();
    expect(JSON.stringify((await root())?.blocks)).not.toContain("earshot-resolve");
    expect(JSON.stringify((await root())?.blocks)).toContain("open-in-earshot");
  });

  it("is shown in the channel again when it grows, and not when it only continues or is resolved", async () => {
    await start({ appToken: true });
    for (const kind of ["doubled", "wave", "reminder", "escalated", "resolved"] as const) {
      await notifier.send(
        alertMessage({ notificationId: kind, kind, view: { ...fired, kind }, previous: ref }),
        {
          signal: signal(),
        },
      );
    }
    expect(
      (await replies()).filter(({ broadcast }) => broadcast).map(({ metadata }) => metadata?.payload),
    ).toEqual(["doubled", "wave", "escalated"].map((notification_id) => ({ notification_id })));
  });
});
