import { expect, test } from "vitest";
import type { Actor } from "../../src/monitor/model/alert-action.ts";
import { createConsoleStore } from "../../src/monitor/store/console.ts";
import { onAnyEngine } from "./on-every-engine.ts";
import type { Story } from "./story.ts";

const ANN: Actor = { via: "shell", login: "Ann", typed: null };

const CROWD = `
description: Many people speak at once.
severity: { info: always, warning: { atLeast: 50 }, critical: { atLeast: 200, within: 30m } }
volume: { atLeast: 10, within: 1h }
`;
const UNHAPPY = `
description: Somebody is unhappy.
severity:
  info: always
  warning: { followers: 50000 }
  critical: [{ story: { atLeast: 20 } }, { followers: { atLeast: 1000000 }, reach: 2000000 }, { mentions: 40 }]
when: { sentiment: negative }
`;
const SPIKE = `
description: Far more than usual.
severity: { warning: always, critical: { atLeast: 150, within: 5m, score: 6 } }
spike: { atLeast: 15 }
`;
const ROUTES = [
  { match: { severity: "critical" }, receivers: ["on-call"], continue: true },
  { receivers: ["alerts"], repeatEvery: "never" },
];

async function onlyAlert({ earshot }: Story) {
  const [alert, ...others] = await earshot.stores.alerts.openedBetween(0, Number.MAX_SAFE_INTEGER);
  if (alert === undefined || others.length > 0) throw new Error(`${others.length + 1} alerts, not one`);
  return alert;
}

/** Which thread replies of a channel were also shown in the channel. */
function broadcasts({ slack }: Story): string[] {
  return slack.calls
    .filter(
      ({ method, fields }) => method === "chat.postMessage" && String(fields["reply_broadcast"]) === "true",
    )
    .map(({ fields }) => String(fields["text"]));
}

onAnyEngine((begin) => {
  test("counts rise through their steps: past an acknowledgement, broadcast, mailed and escalated", async () => {
    const story = await begin({
      rules: { crowd: CROWD },
      routes: ROUTES,
      escalations: [
        { name: "phone", match: { severity: "critical" }, steps: [{ after: "10m", receivers: ["team"] }] },
      ],
    });
    const { at, until, posted, mailed, actions, settle, database } = story;
    at("09:01").mentions("Acme", { count: 20, every: "1s" });
    at("09:21").mentions("Acme", { count: 60, every: "1s" });
    at("09:41").mentions("Acme", { count: 200, every: "1s" });
    await until("09:10");
    expect(await posted("#alerts")).toEqual([expect.stringMatching(/^INFO Acme: 20 mentions in 1 h/)]);
    const { id, projectId } = await onlyAlert(story);
    await actions.act(id, { do: "acknowledge" }, ANN);
    await settle();
    await until("09:30");
    expect((await posted("#alerts")).slice(1)).toEqual([expect.stringMatching(/^↳ Now WARNING.*80 /)]);
    expect(mailed("on-call@acme.example")).toEqual([]);
    await actions.act(id, { do: "acknowledge" }, ANN);
    await settle();
    await until("09:50");
    expect((await posted("#alerts")).slice(2)).toEqual([expect.stringMatching(/^↳ Now CRITICAL.*280 /)]);
    expect(broadcasts(story)).toHaveLength(2);
    expect(mailed("on-call@acme.example")).toHaveLength(1);
    expect(mailed("team@acme.example")).toEqual([]);
    await until("10:00");
    expect(mailed("team@acme.example")).toHaveLength(1);
    expect(await onlyAlert(story)).toMatchObject({
      severity: "critical",
      progress: { first: { count: 20 }, peak: { count: 280 }, step: "at least 200 in 30 min" },
    });
    const events = await createConsoleStore(database.db).alertEvents(projectId, id, 100);
    expect(events.filter(({ what }) => what === "SeverityRose").map(({ detail }) => detail)).toEqual(
      expect.arrayContaining([expect.stringContaining("It is critical: at least 200 in 30 min.")]),
    );
  });

  test("a mail about a rise is new to its reader: the severity is in the subject", async () => {
    const story = await begin({
      rules: { crowd: CROWD },
      routes: [{ receivers: ["on-call"], sendResolved: false }],
    });
    story.at("09:01").mentions("Acme", { count: 20, every: "1s" });
    story.at("09:41").mentions("Acme", { count: 220, every: "1s" });
    await story.until("09:50");
    expect(story.mailed("on-call@acme.example").map((subject) => subject.replace(/].*/, "]"))).toEqual([
      "[INFO]",
      "[CRITICAL, 40 min]",
    ]);
    const [, risen] = story.smtp.mails;
    expect(risen?.parsed.text).toContain("240");
  });

  test("a rise breaks through a silence that was made at the alert, and through quiet hours", async () => {
    const story = await begin({
      rules: { crowd: CROWD },
      routes: [{ receivers: ["alerts", "crisis"], repeatEvery: "never" }],
      receiverSettings: { crisis: { quietHours: [{ from: "08:00", to: "20:00", timezone: "UTC" }] } },
    });
    const { at, until, posted, actions } = story;
    at("09:01").mentions("Acme", { count: 20, every: "1s" });
    at("09:41").mentions("Acme", { count: 220, every: "1s" });
    await until("09:10");
    const { id } = await onlyAlert(story);
    expect(await actions.silenceAlert(id, 4 * 3_600_000, ANN)).toMatchObject({ outcome: "Done" });
    await until("09:35");
    expect(await posted("#crisis")).toEqual([]);
    await until("09:50");
    expect((await posted("#alerts")).slice(1)).toEqual([expect.stringMatching(/^↳ Now CRITICAL/)]);
    expect(await posted("#crisis")).toEqual([expect.stringMatching(/^CRITICAL Acme: 240 /)]);
  });

  test("mentions rise by the followers of one, by how often a story is shared, and by how many they are", async () => {
    const story = await begin({
      queries: ["Acme", "Bolt", "Core"],
      rules: { unhappy: UNHAPPY },
      routes: [{ receivers: ["alerts"], repeatEvery: "never" }],
    });
    const { at, until, earshot } = story;
    const said = { sentiment: "negative" } as const;
    at("09:01").mention("Acme", { ...said, snippet: "one of many", twitterFollowers: 10 });
    at("09:11").mention("Acme", { ...said, snippet: "nobody answers me", twitterFollowers: 60_000 });
    at("09:01").mention("Bolt", {
      ...said,
      snippet: "their truck burns on the bridge",
      twitterFollowers: 10,
    });
    at("09:11").mentions("Bolt", { ...said, count: 25, snippet: "their truck burns on the bridge" });
    for (let n = 0; n < 45; n++)
      at(`09:${String(n + 5).padStart(2, "0")}`).mention("Core", {
        ...said,
        snippet: `number ${n} is about ${n * n}`,
      });
    const severities = async () =>
      Object.fromEntries(
        (await earshot.stores.alerts.openedBetween(0, Number.MAX_SAFE_INTEGER)).map((one) => [
          one.queryName,
          [one.severity, one.progress?.step],
        ]),
      );
    await until("09:10");
    expect(await severities()).toEqual({
      Acme: ["info", undefined],
      Bolt: ["info", undefined],
      Core: ["info", undefined],
    });
    await until("09:20");
    expect(await severities()).toMatchObject({
      Acme: ["warning", "at least 50,000 followers"],
      Bolt: ["critical", "a story shared at least 20 times in a day"],
      Core: ["info", undefined],
    });
    await until("09:50");
    expect(await severities()).toMatchObject({ Core: ["critical", "at least 40 mentions"] });
  });

  test("a spike rises when its count and its score are reached", async () => {
    const story = await begin({ from: "00:00", rules: { spike: SPIKE } });
    for (let hour = 0; hour < 12; hour++)
      story.at(`${String(hour).padStart(2, "0")}:03`).mentions("Acme", { count: 6, every: "9m" });
    story.at("12:00").mentions("Acme", { count: 40, every: "20s" });
    story.at("12:15").mentions("Acme", { count: 200, every: "1s" });
    await story.until("12:00", "12h");
    await story.until("12:30");
    const messages = await story.posted("#alerts");
    expect(messages[0]).toMatch(/^WARNING Acme/);
    expect(messages.slice(1)).toContainEqual(expect.stringMatching(/^↳ Now CRITICAL/));
    expect((await onlyAlert(story)).progress?.step).toBe(
      "at least 150 in 5 min and at least 6× the usual variation",
    );
  });
});
