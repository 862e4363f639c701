import { expect, test } from "vitest";
import { whyAlert } from "../../src/monitor/explain/why.ts";
import { createConsoleStore } from "../../src/monitor/store/console.ts";
import { type BeginStory, onAnyEngine } from "./on-every-engine.ts";
import { CRISIS_SPIKE } from "./rules.ts";
import type { Story } from "./story.ts";

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));

const RULES = {
  "crisis-spike": CRISIS_SPIKE,
  volume: "description: Everybody talks.\nseverity: warning\nspike: { atLeast: 15 }\n",
  influential:
    "description: An influential account is unhappy.\nseverity: warning\nwhen: { sentiment: negative, verified: true }\ngroupBy: author\nover: { after: 12h }\n",
  fire: "title: Fire is a topic\ndescription: Several people speak of a fire.\nseverity: warning\nwhen: { keyword: fire }\nvolume: { atLeast: 4, within: 1h }\n",
};
const INHIBITIONS = [{ while: { rule: "crisis-spike" }, mute: {}, equal: ["query"] }];

/** Two usual days: six mentions an hour by day, two of them negative; hardly any by night. */
function usualDays({ at }: Story, days: readonly string[]): void {
  for (const day of days)
    for (const hour of HOURS) {
      const isNight = Number(hour) < 6 || Number(hour) > 22;
      at(`${day}${hour}:03`).mentions("Acme", {
        count: isNight ? 1 : 4,
        every: "9m",
        snippet: "lovely day with the brand",
      });
      if (!isNight)
        at(`${day}${hour}:20`).mentions("Acme", {
          count: 2,
          every: "9m",
          sentiment: "negative",
          snippet: "late again",
        });
    }
}

const refund = (n: number) => `no refund for the cancelled order, ticket ${n}`;

/** On its second day many want their money back, somebody influential and a fire among them; on the third once more. */
async function crisisOfTwoDays(begin: BeginStory): Promise<Story> {
  const story = await begin({
    from: "00:00",
    rules: RULES,
    inhibitions: INHIBITIONS,
    routes: [
      { match: { severity: "critical" }, receivers: ["crisis"], continue: true },
      { receivers: ["alerts"] },
    ],
  });
  const { at } = story;
  usualDays(
    story,
    [1, 2, 3, 4].map((day) => `day ${day} `),
  );
  for (let n = 0; n < 60; n++)
    at(`day 2 12:${String(Math.floor(n / 2)).padStart(2, "0")}:${n % 2 === 0 ? "05" : "35"}`).mention(
      "Acme",
      {
        sentiment: "negative",
        snippet: refund(n % 20),
      },
    );
  at("day 2 12:20").mention("Acme", {
    sentiment: "negative",
    twitterVerified: true,
    author: "famous",
    snippet: refund(3),
  });
  for (let n = 0; n < 5; n++)
    at(`day 2 13:0${n}`).mention("Acme", {
      sentiment: "negative",
      author: `smelt it ${n}`,
      snippet: `${refund(n)}, and the parcel caught fire`,
    });
  for (let n = 0; n < 40; n++)
    at(`day 3 13:${String(n).padStart(2, "0")}`).mention("Acme", {
      sentiment: "negative",
      snippet: refund(n % 20),
    });
  return story;
}

async function toldKinds(query: Story["query"]): Promise<string[]> {
  const rows = await query<{ kind: string }>("select kind from earshot.incident_entries order by at, seq");
  return rows.map(({ kind }) => kind);
}

onAnyEngine((begin) => {
  test("a crisis of three rules is one incident: one message for each receiver, and what is new is told once", async () => {
    const { until, posted, query, earshot, clock, database } = await crisisOfTwoDays(begin);
    await until("day 2 11:50", "12h");
    await until("day 2 12:40", "10m");
    const [incident] = await query<{ id: string; status: string; body: { alerts: number } }>(
      "select id, status, body from earshot.incidents",
    );
    expect(incident).toMatchObject({ status: "open", body: { alerts: 3 } });
    // Why nobody got a message of the muted alert: the receivers and messages are those of the incident.
    const [muted] = (await earshot.stores.alerts.openedBetween(0, clock.now())).filter(
      ({ rule }) => rule === "influential",
    );
    if (muted === undefined) throw new Error("nobody influential was unhappy");
    const facts = createConsoleStore(database.db);
    const why = await whyAlert({ stores: earshot.stores, facts, rules: [] }, muted);
    expect(why.incident?.members).toHaveLength(3);
    expect(why.history.map(({ what }) => what)).toEqual(["Fired", "JoinedIncident"]);
    expect(why.notified.map(({ receiver }) => receiver).sort()).toEqual(["alerts", "crisis"]);
    // All of it is in one message, and the muted alert is not sent when the crisis calms down.
    const first = await posted("#alerts");
    expect(first.filter((text) => !text.startsWith("↳"))).toHaveLength(1);
    // What is new is told in the words of those who say it.
    await until("day 2 13:20", "10m");
    const news = (await posted("#alerts")).slice(first.length);
    expect(news.filter((text) => text.startsWith("↳"))).toEqual([
      expect.stringMatching(
        /New: Fire is a topic, Acme: smelt it \d: “no refund .*, and the parcel caught fire”/,
      ),
    ]);
    expect(await toldKinds(query)).toEqual(["Opened", "Joined", "Joined", "Grew", "Joined", "NewFact"]);
  });

  test("a crisis of two days is one incident: day 2 is said, and one end", async () => {
    const { until, posted, query } = await crisisOfTwoDays(begin);
    await until("day 2 11:50", "12h");
    await until("day 2 13:20", "30m");
    const first = await posted("#alerts");
    await until("day 2 23:00", "5h");
    expect(await posted("#alerts")).toEqual(first);
    await until("day 3 13:00", "7h");
    await until("day 3 14:00", "30m");
    const second = (await posted("#crisis")).slice(-1);
    expect(second[0]).toMatch(/^↳ /);
    await until("day 4 23:00", "12h");
    const all = await posted("#crisis");
    expect(all.filter((text) => text.includes("Resolved"))).toHaveLength(1);
    expect(all.at(-1)).toMatch(/^↳ Resolved/);
    expect(await toldKinds(query)).toEqual([
      ...["Opened", "Joined", "Joined", "NewFact", "Watching"],
      ...["DayBegan", "Watching", "Over"],
    ]);
  });

  test("another crisis while one is watched is another incident", async () => {
    const story = await begin({
      from: "00:00",
      rules: { "crisis-spike": CRISIS_SPIKE },
      routes: [{ receivers: ["alerts"] }],
    });
    const { at, until, query, posted } = story;
    usualDays(story, ["day 1 ", "day 2 "]);
    const crisis = (hour: string, words: (n: number) => string) => {
      for (let n = 0; n < 60; n++)
        at(`day 2 ${hour}:${String(Math.floor(n / 3)).padStart(2, "0")}:${10 + 20 * (n % 3)}`).mention(
          "Acme",
          {
            ...{ sentiment: "negative", author: `at ${hour}, ${n}`, snippet: words(n) },
          },
        );
    };
    crisis("12", (n) => refund(n));
    crisis("19", (n) => `brakes locked on the bridge this morning, rider ${n}`);
    await until("day 2 11:50", "12h");
    await until("day 2 18:55", "30m");
    const rows = () => query<{ status: string }>("select status from earshot.incidents order by opened_at");
    expect(await rows()).toEqual([{ status: "watching" }]);
    await until("day 2 19:30", "10m");
    expect(await rows()).toEqual([{ status: "watching" }, { status: "open" }]);
    const firsts = (await posted("#alerts")).filter((text) => !text.startsWith("↳"));
    expect(firsts.map((text) => /negative mentions/.test(text))).toEqual([true, true]);
  });

  test("one cause in two brands is one message, which is over when both are calm", async () => {
    const { at, until, posted, query, earshot, clock, actions, database } = await begin({
      from: "00:00",
      queries: ["Acme", "Brell"],
      rules: { "crisis-spike": CRISIS_SPIKE },
      routes: [{ receivers: ["alerts"] }],
    });
    const leak = (n: number) =>
      `The maker of both sold the addresses of its customers, says the paper, ${n % 5}`;
    for (const brand of ["Acme", "Brell"])
      for (const day of ["day 1 ", "day 2 "])
        for (const hour of HOURS)
          at(`${day}${hour}:03`).mentions(brand, { count: 4, every: "9m", snippet: `a lovely ${brand} day` });
    for (let n = 0; n < 60; n++) {
      const minute = String(n % 30).padStart(2, "0");
      at(`day 2 12:${minute}:${n < 30 ? "05" : "35"}`).mention("Acme", {
        sentiment: "negative",
        snippet: leak(n),
      });
      at(`day 2 14:${minute}:${n < 30 ? "05" : "35"}`).mention("Brell", {
        sentiment: "negative",
        snippet: leak(n),
      });
    }
    await until("day 2 11:50", "12h");
    await until("day 2 14:40", "10m");
    const rows = () =>
      query<{ id: string; name: string; status: string; part_of: string | null }>(
        "select id, body->>'queryName' as name, status, part_of from earshot.incidents order by opened_at",
      );
    const [acme, brell] = await rows();
    expect([acme?.name, brell?.name, brell?.part_of]).toEqual(["Acme", "Brell", acme?.id]);
    const alerts = await posted("#alerts");
    expect(alerts.filter((text) => !text.startsWith("↳"))).toHaveLength(1);
    expect(alerts.filter((text) => text.includes("New: Brell, too"))).toHaveLength(1);
    // Who acts on an alert of the one brand acts on both.
    const [leader] = (await earshot.stores.alerts.openedBetween(0, clock.now())).filter(
      ({ queryName }) => queryName === "Brell",
    );
    if (leader === undefined) throw new Error("Brell had no alert");
    const why = await whyAlert(
      { stores: earshot.stores, facts: createConsoleStore(database.db), rules: [] },
      leader,
    );
    expect(why.history.map(({ what }) => what)).toEqual(["Fired", "JoinedIncident"]);
    expect(why.notified.map(({ receiver }) => receiver)).toEqual(["alerts"]);
    const by = { via: "page", login: "ann", typed: null } as const;
    await actions.act(leader.id, { do: "acknowledge" }, by);
    expect((await rows()).map(({ status }) => status)).toEqual(["handled", "handled"]);
    await until("day 4 12:00", "12h");
    expect((await rows()).map(({ status }) => status)).toEqual(["over", "over"]);
    const all = await posted("#alerts");
    const ends = all.filter((text) => text.includes("Resolved"));
    expect(ends).toHaveLength(1);
    expect(ends[0]).toMatch(/60 negative mentions of .* Brell, too: 60 negative mentions of /);
    expect(all.filter((text) => !text.startsWith("↳"))).toHaveLength(1);
  });
});
