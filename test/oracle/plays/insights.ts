import { sql } from "kysely";
import { anAlert, makeAnIncident, pending } from "../../console/make-a-story.ts";
import { startTestConsole } from "../../console/start-test-console.ts";
import { aMention } from "../../mention.ts";
import type { Fired, InsightsWorld, KeptMention } from "../insights/insights-world.ts";
import { DAY, HOUR, MINUTE, type Moment } from "../world.ts";

/** The morning after clocks went forward in Berlin. */
const NOW = Date.parse("2026-03-30T09:40:00Z");
const PROJECT = "7";
const QUERIES = [
  { id: "11", name: "Aurora Air", zone: "Europe/Berlin" },
  { id: "12", name: "Northwind", zone: "Europe/Berlin" },
  { id: "13", name: "Kestrel", zone: "America/New_York" },
];
const RULES = [
  { rule: "volume-spike", title: "Volume spike" },
  { rule: "negative-share", title: "Negative share" },
] as const;

type Draw = () => number;

/** Plays a month of three brands, with edits, moves and deletes, and what people did about alerts; asks for pages at the end. */
export async function playInsights(
  addresses: (world: InsightsWorld) => readonly string[],
  { seed = 7, databaseUrl }: { readonly seed?: number; readonly databaseUrl?: string } = {},
): Promise<{
  readonly world: InsightsWorld;
  readonly pages: ReadonlyMap<string, string>;
  /** How many mentions some of their links list. */
  readonly listed: ReadonlyMap<string, number>;
}> {
  const draw = drawing(seed);
  const web = await startTestConsole(NOW, {
    settings: { timezone: "Europe/London" },
    ...(databaseUrl !== undefined && { databaseUrl }),
  });
  try {
    const { stores } = web;
    await stores.queries.register(
      QUERIES.map(({ id, name, zone }) => ({
        ...{ projectId: PROJECT, queryId: id, name, projectName: "Brands", timezone: zone },
      })),
      NOW - 90 * DAY,
      NOW,
    );
    const first = drawSaid(draw);
    await store(web, first, NOW - DAY);
    await stores.mentionCounts.countStale();
    const edited = first.flatMap((one) => (draw() < 0.1 ? [edit(one, draw)] : []));
    await store(web, edited, NOW - HOUR);
    const late = first.flatMap((one) => (draw() < 0.03 ? [{ ...one, id: `${one.id}-late` }] : []));
    await store(web, late, NOW);
    const gone = first.flatMap((one) => (draw() < 0.05 ? [one.id] : []));
    for (const { id } of QUERIES) await stores.forgotten.remove(PROJECT, id, gone);
    await stores.mentionCounts.countStale();
    const kept = new Map([...first, ...edited, ...late].map((one) => [`${one.query} ${one.id}`, one]));
    const said = [...kept.values()].filter(({ id }) => !gone.includes(id));

    const lists = ["ann", "bob", "Eve Lund"].flatMap((author, n) =>
      n === 1 ? [list("Press", author), list("VIP", author)] : [list(n === 0 ? "Press" : "VIP", author)],
    );
    for (const one of lists) await stores.authorLists.put(one);
    const fired = await playAlerts(web, draw);
    const world: InsightsWorld = { now: NOW, zone: "Europe/London", queries: QUERIES, said, lists, fired };
    const pages = new Map<string, string>();
    for (const address of addresses(world)) {
      const answer = await fetch(`${web.url}${address}`, { headers: { accept: "text/html" } });
      pages.set(address, await answer.text());
    }
    const listed = new Map<string, number>();
    for (const link of linksOf(pages, draw)) {
      const answer = await fetch(`${web.url}${link.replace("/mentions?", "/mentions.json?")}`);
      const { mentions, next } = (await answer.json()) as { mentions: unknown[]; next: unknown };
      // A list has fifty on a page: longer ones are not counted.
      if (next === null) listed.set(link, mentions.length);
    }
    return { world, pages, listed };
  } finally {
    await web.close();
  }
}

/** Some of the links to mentions of each page. */
function linksOf(pages: ReadonlyMap<string, string>, draw: Draw): ReadonlySet<string> {
  const all = [...pages.values()].flatMap((html) => [
    ...html.matchAll(/href="(\/mentions\?[^"]*from=[^"]*)"/g),
  ]);
  const some = all.filter(() => draw() < 200 / all.length);
  return new Set(some.map(([, link = ""]) => link.replaceAll("&amp;", "&")));
}

type Web = Awaited<ReturnType<typeof startTestConsole>>;

async function store({ stores }: Web, said: readonly KeptMention[], seenAt: Moment): Promise<void> {
  const rows = said.map((one) => ({ mention: mentionOf(one, seenAt), eventAt: one.at, story: one.story }));
  await stores.mentions.storePage(PROJECT, stores.mentions.rowsOf(rows), seenAt);
}

function mentionOf(one: KeptMention, seenAt: Moment) {
  const isHandle = one.author !== null && !one.author.includes(" ");
  return aMention({
    ...{ queryId: one.query, resourceId: one.id, publishedAt: one.at, addedAt: NOW - DAY, updatedAt: seenAt },
    ...{
      text: one.text,
      domain: one.domain,
      country: one.country,
      language: one.language,
      pageType: one.type,
    },
    // Some sources write handles with their sign.
    author: isHandle ? `${one.id.endsWith("3") ? "@" : ""}${one.author}` : null,
    authorName: isHandle ? null : one.author,
    ...{ sentiment: one.sentiment as "negative" | null, reach: one.reach, followers: one.followers },
    categories: one.categories.length === 0 ? [] : [category(one.categories)],
  });
}

function category([name = "", parentName]: readonly string[]) {
  const parent = parentName === undefined ? {} : { parentId: `c ${parentName}`, parentName };
  return { id: `c ${name}`, name, parentId: null, parentName: null, ...parent };
}

/** Two months, so that the time before has something, and an outburst in the last day. */
function drawSaid(draw: Draw): KeptMention[] {
  const said: KeptMention[] = [];
  const authors = ["ann", "bob", "Eve Lund", ...Array.from({ length: 30 }, (_, n) => `reader${letters(n)}`)];
  for (let n = 0; n < 1_500; n++) {
    const isBurst = n % 5 === 0;
    const at = isBurst ? NOW - draw() * 20 * HOUR : NOW - draw() * 62 * DAY;
    const query = QUERIES[Math.floor(draw() ** 2 * 3)]?.id ?? "11";
    const story = draw() < 0.3 ? `The ${letters(Math.floor(draw() * 14))} was late again` : null;
    const text = story ?? `Nobody else says ${letters(n)} of it`;
    said.push({
      ...{ query, id: `m${n}`, at: Math.floor(at), text, story: story ?? `alone ${n}` },
      sentiment: pick(
        draw,
        isBurst ? ["negative", "negative", "neutral", null] : ["negative", "neutral", "positive", null],
      ),
      ...spokenBy(
        pick(draw, [...authors, null]),
        pick(draw, ["alpha.example", "beta.example", "gamma.example", "delta.example"]),
      ),
      country: pick(draw, ["Germany", "France", "Japan", null]),
      language: pick(draw, ["de", "en", "fr", null]),
      type: pick(draw, ["news", "twitter", "blog"]),
      categories: pick(draw, [[], ["Service"], ["Price", "Service"], ["Safety"]]),
      reach: draw() < 0.6 ? Math.floor(draw() ** 4 * 90_000) : null,
      followers: draw() < 0.6 ? Math.floor(draw() ** 4 * 900_000) : null,
    });
  }
  return said;
}

/** A site speaks for itself where nobody is named. */
function spokenBy(author: string | null, domain: string) {
  return { author, domain, shownAs: author ?? domain };
}

/** Other sentiment and reach; of some also another time, which moves them to another day. */
function edit(one: KeptMention, draw: Draw): KeptMention {
  return {
    ...one,
    sentiment: pick(draw, ["negative", "positive"]),
    reach: Math.floor(draw() * 5_000),
    at: draw() < 0.3 ? one.at - Math.floor(draw() * 3 * DAY) : one.at,
  };
}

function list(name: string, author: string) {
  const actor = { via: "page", login: "ann", typed: null } as const;
  return {
    ...{ id: crypto.randomUUID(), list: name, author, name: null, site: null, note: "", actor, at: NOW },
  };
}

/** Alerts of a month; people act on some, on the page or on their incident. */
async function playAlerts(web: Web, draw: Draw): Promise<Fired[]> {
  const { stores, clock } = web;
  const { createAlertActions } = await import("../../../src/monitor/alerts/actions/alert-actions.ts");
  const actions = createAlertActions({ stores, clock });
  const by = { via: "page", login: "ann", typed: null } as const;
  const fired: Fired[] = [];
  for (let n = 0; n < 40; n++) {
    const query = pick(draw, QUERIES);
    const { rule, title } = pick(draw, RULES);
    const at = Math.floor(NOW - 30 * DAY + (n * 29.9 * DAY) / 40);
    const count = 20 + Math.floor(draw() * 200);
    const alert = anAlert({
      ...{ openedAt: at, rule, queryId: query.id, queryName: query.name, fingerprint: `f${n}` },
      values: { count },
    });
    await stores.alerts.save([alert]);
    const after = Math.floor(draw() * 300) * MINUTE + 7_000;
    const deed = pick(draw, [
      "acknowledge",
      "resolve",
      "not-relevant",
      "nothing",
      "nothing",
      "over",
    ] as const);
    const answeredAt = deed === "nothing" || deed === "over" ? null : at + after;
    clock.set(at + after);
    if (deed === "over") await stores.alerts.save([{ ...alert, state: "resolved", resolvedAt: at + after }]);
    else if (deed !== "nothing") await actions.act(alert.id, { do: deed }, by);
    const messages = ["comms", "desk"].flatMap((receiver) =>
      draw() < 0.7 ? [{ receiver, at: at + 1_000 }] : [],
    );
    await stores.notifications.addPending(
      messages.map((one, m) =>
        pending(alert, { id: crypto.randomUUID(), receiver: one.receiver, createdAt: one.at + m }),
      ),
    );
    fired.push({
      ...{ id: alert.id, rule, title, query: query.id, at, answeredAt, count },
      messages: messages.map((one, m) => ({ ...one, at: one.at + m })),
      isWorthIt: deed === "nothing" || deed === "over" ? null : deed !== "not-relevant",
      isOver: deed === "over" || deed === "resolve" || deed === "not-relevant",
    });
  }
  clock.set(NOW);
  await sql`update earshot.notifications set state = 'sent'`.execute(web.database.db);
  return [...fired, ...(await playIncident(web, actions, by))];
}

/** Two alerts of one incident: somebody takes it between them, and so has the second at once. */
async function playIncident(
  { stores, clock }: Web,
  actions: Pick<
    Awaited<
      ReturnType<typeof import("../../../src/monitor/alerts/actions/alert-actions.ts")["createAlertActions"]>
    >,
    "act"
  >,
  by: Parameters<typeof actions.act>[2],
): Promise<Fired[]> {
  const at = NOW - 5 * HOUR;
  const [first, second] = [0, 2].map((hours) =>
    anAlert({ openedAt: at + hours * HOUR, rule: "volume-spike", queryId: "11", fingerprint: `i${hours}` }),
  );
  if (first === undefined || second === undefined) throw new Error("there are no alerts");
  await stores.alerts.save([first]);
  const incident = await makeAnIncident(stores, first);
  clock.set(at + 25 * MINUTE);
  await actions.act(first.id, { do: "acknowledge" }, by);
  await stores.alerts.save([second]);
  await stores.incidents.join([
    {
      alertId: second.id,
      projectId: PROJECT,
      incidentId: incident.id,
      joinedAt: second.openedAt,
      because: "it fits",
    },
  ]);
  clock.set(NOW);
  const told = {
    rule: "volume-spike",
    title: "Volume spike",
    query: "11",
    isOver: false,
    messages: [],
    count: 0,
  };
  return [
    { ...told, id: first.id, at, answeredAt: at + 25 * MINUTE, isWorthIt: true },
    { ...told, id: second.id, at: second.openedAt, answeredAt: second.openedAt, isWorthIt: null },
  ];
}

function pick<One>(draw: Draw, from: readonly One[]): One {
  return from[Math.floor(draw() * from.length)] as One;
}

/** Names without digits: those of a page are all numbers. */
function letters(n: number): string {
  const letter = String.fromCharCode(97 + (n % 26));
  return n < 26 ? letter : `${letters(Math.floor(n / 26) - 1)}${letter}`;
}

function drawing(seed: number): Draw {
  let state = seed;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
