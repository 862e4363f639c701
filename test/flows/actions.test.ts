import { expect, test } from "vitest";
import { HOUR } from "../../src/lib/instant.ts";
import type { Actor } from "../../src/monitor/model/alert-action.ts";
import { createConsoleStore } from "../../src/monitor/store/console.ts";
import { until as waitUntil } from "../until.ts";
import { onAnyEngine } from "./on-every-engine.ts";
import { CROWD, NEGATIVE, VERIFIED } from "./rules.ts";

const SOON = { withinMs: 15_000 };
const ANN: Actor = { via: "shell", login: "Ann", typed: null };

onAnyEngine((begin) => {
  test("an alert is acknowledged, its reminders end, and its history names who did it", async () => {
    const { at, until, posted, actions, earshot, database, settle } = await begin({
      rules: { crowd: CROWD },
      routes: [{ receivers: ["alerts"], repeatEvery: "30m" }],
      escalations: [{ name: "phone", steps: [{ after: "20m", receivers: ["crisis"] }] }],
    });
    at("09:00").mentions("Acme", { count: 90, every: "1m" });
    await until("09:35");
    const [alert] = await earshot.stores.alerts.openedBetween(0, Number.MAX_SAFE_INTEGER);
    expect(await posted("#crisis")).toHaveLength(1);
    expect(await actions.act(alert?.id ?? "", { do: "acknowledge" }, ANN)).toMatchObject({ outcome: "Done" });
    await settle();
    await until("11:30", "15m");
    expect((await posted("#alerts")).map((text) => text.slice(0, 12))).toEqual([
      "WARNING Acme",
      "↳ Resolved: ",
    ]);
    expect(await posted("#crisis")).toHaveLength(2);
    const facts = createConsoleStore(database.db);
    const events = await facts.alertEvents(alert?.projectId ?? "", alert?.id ?? "", 100);
    expect(events.map(({ what, detail }) => `${what} ${detail}`)).toContain("AcknowledgedBy by Ann");
    expect(events.some(({ what }) => what === "Escalated")).toBe(true);
    expect(await actions.precision(0)).toEqual([{ rule: "crowd", fired: 1, relevant: 1, notRelevant: 0 }]);
  });

  test("a silence holds an alert, and its early end sends it", async () => {
    const { at, until, posted, actions, settle } = await begin({ rules: { "verified-negative": VERIFIED } });
    const silence = await actions.addSilence({
      match: { query: ["Acme"] },
      by: ANN,
      comment: "release day",
      lengthMs: 3_600_000,
    });
    at("09:02").mention("Acme", { sentiment: "negative", twitterVerified: true, fullname: "Bo" });
    await until("09:10");
    expect(await posted("#alerts")).toEqual([]);
    expect(await actions.expireSilence(silence.id, ANN)).toBe(true);
    await settle();
    expect(await posted("#alerts")).toHaveLength(1);
    expect(await actions.expireSilence(silence.id, ANN)).toBe(false);
  });

  test("what people do has its effect at once, and not with the next sweep", async () => {
    const { at, until, posted, actions, earshot, query, slack } = await begin({
      rules: { "verified-negative": VERIFIED },
      // None comes while the test runs.
      sweepEveryMs: 24 * HOUR,
    });
    await waitUntil(
      "Earshot listens",
      async () => {
        const listening = await query("select from pg_stat_activity where query = 'listen earshot_due'");
        return listening.length > 0;
      },
      SOON,
    );
    // Without sweeps in the queue, Earshot may rightly say that it stands still.
    const alerts = async () =>
      (await posted("#alerts")).filter((text) => !/queue has stood still/.test(text));
    const silence = await actions.addSilence({
      ...{ match: { query: ["Acme"] }, by: ANN, comment: "release day", lengthMs: HOUR },
    });
    at("09:02").mention("Acme", { sentiment: "negative", twitterVerified: true, fullname: "Bo" });
    await until("09:10");
    expect(await alerts()).toEqual([]);
    await actions.expireSilence(silence.id, ANN);
    await waitUntil("the held alert is sent", async () => (await alerts()).length === 1, SOON);
    const [alert] = await earshot.stores.alerts.openedBetween(0, Number.MAX_SAFE_INTEGER);
    await actions.act(alert?.id ?? "", { do: "acknowledge" }, ANN);
    await waitUntil(
      "the message shows who acts",
      async () => JSON.stringify(await slack.messages()).includes("Acknowledged by"),
      SOON,
    );
  });

  test("alerts of a group are one message that counts them", async () => {
    const { at, until, posted } = await begin({
      rules: { negative: `${NEGATIVE}groupBy: author\n` },
      routes: [{ receivers: ["alerts"], groupBy: ["rule"], groupWait: "5m", repeatEvery: "never" }],
    });
    for (const name of ["ann", "bo", "cy", "di"]) {
      at("09:01").mention("Acme", { sentiment: "negative", fullname: name, author: name });
    }
    await until("09:20");
    const [only, ...others] = await posted("#alerts");
    expect(others).toEqual([]);
    expect(only).toContain("And 3 more.");
  });

  test("an alert that a person resolves is resolved for every receiver, and stays so", async () => {
    const { at, until, posted, actions, earshot, settle } = await begin({ rules: { crowd: CROWD } });
    at("09:00").mentions("Acme", { count: 60, every: "1m" });
    await until("09:20");
    const [alert] = await earshot.stores.alerts.openedBetween(0, Number.MAX_SAFE_INTEGER);
    await actions.act(alert?.id ?? "", { do: "not-relevant" }, ANN);
    await settle();
    await until("11:00", "15m");
    expect(await posted("#alerts")).toHaveLength(2);
    expect(await actions.precision(0)).toEqual([{ rule: "crowd", fired: 1, relevant: 0, notRelevant: 1 }]);
  });
});
