import { sql } from "kysely";
import { DateTime } from "luxon";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { createClosing } from "../../../src/lib/closing.ts";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { announceDigests } from "../../../src/monitor/digest/announce-digests.ts";
import { buildDigest } from "../../../src/monitor/digest/build-digest.ts";
import { planViews } from "../../../src/monitor/digest/view-digests.ts";
import { digestWithout, shownNames } from "../../../src/monitor/digest/without-mentions.ts";
import { openReceivers } from "../../../src/monitor/health/open-receivers.ts";
import { eventAt, type Mention } from "../../../src/monitor/model/mention.ts";
import { PEOPLE } from "../../../src/monitor/model/people.ts";
import { createChannels } from "../../../src/monitor/notify/channels.ts";
import { deliver } from "../../../src/monitor/notify/deliver/deliver.ts";
import { email } from "../../../src/monitor/notify/notifiers/email.ts";
import {
  createUnsubscribeLinks,
  createUnsubscribing,
} from "../../../src/monitor/notify/view/signed-links.ts";
import { createViewOf } from "../../../src/monitor/notify/view/view-of.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { ATTACKS, PROJECT, storeMentions } from "../../console/make-a-story.ts";
import { notifierDeps } from "../../contracts/notifier.ts";
import { type FakeSmtp, startFakeSmtp } from "../../fakes/smtp.ts";
import { aMention } from "../../mention.ts";
import { useStores } from "../../use-stores.ts";

/** The Monday after clocks changed in Berlin, at eight there. */
const MONDAY = Date.parse("2026-03-30T06:00:00Z");
const ZONE = "Europe/Berlin";
const SECRET = "for tests";
const { database, stores } = await useStores();
const closing = createClosing();
const clock = createManualClock(MONDAY - 5 * DAY);
let smtp: FakeSmtp;
let mentions: readonly Mention[];
let ids = 0;
const newId = () => `0199b2c4-7d1a-7000-8000-${String(++ids).padStart(12, "0")}`;

beforeAll(async () => {
  smtp = await startFakeSmtp();
  closing.add(smtp.close);
  await ensurePartitions(database.db, MONDAY);
  const query = (queryId: string, name: string) => ({
    ...{ projectId: PROJECT, queryId, name, projectName: "Brands", timezone: "UTC" },
  });
  const queries = [query("1", `Acme ${ATTACKS[0]}`), query("2", "Rival")];
  await stores.queries.register(queries, MONDAY - 40 * DAY, MONDAY - 40 * DAY);
  mentions = Array.from({ length: 500 }, (_, n) => {
    const publishedAt = MONDAY + 2 * HOUR - n * 61 * MINUTE;
    return aMention({
      ...{ resourceId: `m${n}`, queryId: n % 3 === 0 ? "2" : "1", publishedAt, addedAt: publishedAt },
      sentiment: ["negative", "neutral", "positive", "negative", null][(n * 7) % 5] ?? null,
      author: n % 7 === 0 ? (ATTACKS[n % ATTACKS.length] ?? null) : `@author${n % 11}`,
      ...{ domain: `site${n % 4}.example`, language: n % 2 === 0 ? "de" : "en", country: "Germany" },
      ...{ text: `Text ${n % 9} ${ATTACKS[n % ATTACKS.length]}`, reach: n },
    });
  });
  // Not counted yet: whoever builds a mail counts first.
  await storeMentions(stores, mentions, MONDAY, storyOf);
  for (const name of ["ann", "bo", "cy"])
    await stores.users.add({
      ...{ id: newId(), name, role: "viewer", email: name === "cy" ? null : `${name}@acme.example` },
      ...{ passwordHash: null, openId: null, createdAt: MONDAY, createdBy: "test" },
    });
});
afterAll(() => closing.close());

function storyOf({ resourceId }: Mention): string {
  const n = Number(resourceId.slice(1));
  return n % 10 < 4 ? `story${n % 4}` : resourceId;
}

async function save(title: string, address: string, nameKey = "ann", isShared = false): Promise<string> {
  const id = newId();
  await stores.views.add({ id, nameKey, title, address, isShared, createdAt: clock.now() });
  return id;
}

const announce = async (at: number) => {
  clock.set(at);
  await announceDigests(stores.digests, planViews(await stores.views.mails()), at);
};
const partsOf = () => ({
  ...{ store: stores, digests: [], clock, historyMs: () => 0, consoleUrl: () => "https://earshot.example" },
  ...{ titleOf: (rule: string) => rule, onPending: async () => {} },
});
const build = async () =>
  Promise.all((await stores.digests.due()).map((edition) => buildDigest(partsOf(), edition)));

/** By the notifiers of a configuration with one receiver of mails, as a worker sends. */
async function send(workers = 1): Promise<void> {
  const { host, port } = smtp;
  const notifier = email.config.parse({
    ...{ kind: "email", to: "on-call@acme.example", from: "earshot@acme.example" },
    smtp: { host, port },
  });
  const receivers = [{ name: "on-call", quietHours: [], throttle: null, notifier, readByProgram: false }];
  const { renderer, log } = await notifierDeps();
  const notifiers = openReceivers(receivers, { renderer, stores, clock, log }, closing);
  const consoleUrl = () => "https://earshot.example";
  const parts = {
    ...{ log: stores.notifications, channelLimits: stores.channelLimits, liveMessages: stores.alertMessages },
    ...{ receiversOf: createChannels(notifiers).receiversOf, clock },
    notifierOf: (name: string) => notifiers.get(name),
    viewOf: createViewOf({
      ...{ stores, rulesFor: () => [], timezone: "UTC", clock, consoleUrl },
      unsubscribeUrl: createUnsubscribeLinks({ receivers, secret: SECRET, consoleUrl }),
    }),
  };
  for (let due = await stores.notifications.due(50); due.length > 0; due = await stores.notifications.due(50))
    await Promise.all(
      due.flatMap((job) =>
        Array.from({ length: workers }, () => deliver(parts, job, new AbortController().signal)),
      ),
    );
}

const mailsOf = (address: string) => smtp.mails.filter(({ to }) => to.includes(address));
const midnight = (daysBefore: number) =>
  DateTime.fromMillis(MONDAY, { zone: ZONE }).startOf("day").minus({ days: daysBefore }).toMillis();
const within = (from: number, to: number, is: (mention: Mention) => boolean = () => true) =>
  mentions.filter((one) => eventAt(one) >= from && eventAt(one) < to && is(one)).length;
const isNegative = ({ sentiment }: Mention) => sentiment === "negative";

test("a view comes on Monday at eight in the reader's zone, once, whoever announces, builds and sends twice", async () => {
  const id = await save(`Us & <them>`, "/insights?last=7d&query=1&query=2");
  await stores.views.mail(id, "ann", ZONE, clock.now());
  await announce(MONDAY - 1);
  expect(await stores.digests.due()).toEqual([]);
  await Promise.all([announce(MONDAY), announce(MONDAY)]);
  // The night in which clocks change is 23 hours, and the week before is a whole week.
  expect(await stores.digests.due()).toMatchObject([
    {
      ...{ localDate: "2026-03-30", dueAt: MONDAY },
      ...{ period: { from: midnight(7), to: midnight(0) }, before: { from: midnight(14), to: midnight(7) } },
    },
  ]);
  expect(midnight(0) - midnight(7)).toBe(7 * DAY - HOUR);
  await Promise.all([build(), build(), build()]);
  await announce(MONDAY + HOUR);
  await build();
  smtp.faults.push({ at: "rcpt", code: 451, text: "later" });
  await send(3);
  // The server and the mail wait after a refusal.
  await sql`update earshot.notifications set next_attempt_wall = now() where state = 'due'`.execute(
    database.db,
  );
  await sql`delete from earshot.channel_limits`.execute(database.db);
  await send(3);
  const [mail, ...more] = mailsOf("ann@acme.example");
  expect(more).toEqual([]);
  expect(smtp.mails).toHaveLength(1);
  expect(mail?.parsed.subject).toContain("Us & <them>, 23 to 29 March 2026: ");
  expect(mail?.parsed.messageId).toMatch(/^<.+@acme\.example>$/);
  expect(mail?.raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/im);
});

test("its numbers are those of the mentions, in the text and in the HTML, with the week before", () => {
  const { text = "", html } = mailsOf("ann@acme.example")[0]?.parsed ?? {};
  const [all, past] = [within(midnight(7), midnight(0)), within(midnight(14), midnight(7))];
  const [negative, negativeBefore] = [
    within(midnight(7), midnight(0), isNegative),
    within(midnight(14), midnight(7), isNegative),
  ];
  const share = Math.round((100 * negative) / all);
  const points = share - Math.round((100 * negativeBefore) / past);
  const change =
    points === 0
      ? "as before"
      : `${Math.abs(points)} ${Math.abs(points) === 1 ? "point" : "points"} ${points > 0 ? "more" : "less"} than before`;
  const rival = within(midnight(7), midnight(0), ({ queryId }) => queryId === "2");
  const days = Array.from({ length: 7 }, (_, n) => within(midnight(7 - n), midnight(6 - n)));
  for (const words of [
    `${all} mentions`,
    `the ${past} of the period before`,
    `${share}% negative, ${change}`,
    `Only Acme`,
    `(${Math.max(...days)} in a day)`,
    `- Rival: ${rival}, ${Math.round((100 * rival) / all)}%`,
    "You asked for this view every Monday.",
    `https://earshot.example/insights?query=1&query=2&from=${midnight(7)}&to=${midnight(0)}`,
  ])
    expect(text).toContain(words);
  const markup = String(html);
  expect(markup.match(/valign="bottom"/g)).toHaveLength(7);
  for (const words of [
    `${all} mentions`,
    `${share}% negative, ${change}`,
    ">Open this view</a>",
    "Unsubscribe",
  ])
    expect(markup).toContain(words);
  expect(markup).not.toMatch(/<script|<img src=x|<iframe/);
  expect(mailsOf("ann@acme.example")[0]?.parsed.attachments).toEqual([]);
});

test("one click ends it, and another begins it again; the page of views knows", async () => {
  const url = /https:\/\/earshot\.example\/unsubscribe\/(\S+)/.exec(
    mailsOf("ann@acme.example")[0]?.parsed.text ?? "",
  );
  const unsubscribing = createUnsubscribing({ stores, secret: SECRET, clock });
  const zones = async () => (await stores.views.list("ann")).map(({ mailedIn }) => mailedIn);
  expect(await zones()).toEqual([ZONE]);
  expect(await unsubscribing.set(url?.[1] ?? "", false)).toMatchObject({
    ...{ receiver: PEOPLE, isSubscribed: false, digest: expect.stringMatching(/^Us & <them> for ann #/) },
  });
  expect(await zones()).toEqual([null]);
  await announce(MONDAY + 7 * DAY);
  await build();
  await send();
  expect(mailsOf("ann@acme.example")).toHaveLength(1);
  await unsubscribing.set(url?.[1] ?? "", true);
  await announce(MONDAY + 14 * DAY);
  await build();
  await send();
  expect(mailsOf("ann@acme.example")).toHaveLength(2);
});

test("each reader of a shared view gets one of their own; who has no address, or ended, gets none", async () => {
  const id = await save("Who speaks here", "/insights/speakers?last=7d", "ann", true);
  const own = await save("Mine", "/insights/stories?last=7d", "ann");
  for (const name of ["bo", "cy"]) await stores.views.mail(id, name, "Asia/Kathmandu", MONDAY + 15 * DAY);
  await stores.views.mail(own, "bo", ZONE, MONDAY + 15 * DAY);
  expect((await stores.views.mails()).filter(({ nameKey }) => nameKey !== "ann")).toHaveLength(1);
  await announce(MONDAY + 21 * DAY);
  await build();
  await send();
  expect(mailsOf("bo@acme.example")).toHaveLength(1);
  const [mail] = mailsOf("bo@acme.example");
  // A quarter to nine of the reader's clock, while it is later in Berlin.
  expect(mail?.parsed.text).toContain("13 to 19 April 2026");
  const bo = await stores.users.find("bo");
  await announce(MONDAY + 28 * DAY);
  await build();
  await stores.users.setEnd(bo?.id ?? "", clock.now());
  await send();
  expect(mailsOf("bo@acme.example")).toHaveLength(1);
  await stores.users.setEnd(bo?.id ?? "", null);
});

test("who is asked for on a Monday after eight waits for the next; a view that ends sends nothing more", async () => {
  const at = MONDAY + 35 * DAY;
  const id = await save("Stories", "/insights/stories?last=30d", "bo");
  clock.set(at + HOUR);
  await stores.views.mail(id, "bo", ZONE, clock.now());
  await announce(at + 2 * HOUR);
  const ofStories = async () => (await stores.digests.due()).filter(({ name }) => name.startsWith("Stories"));
  expect(await ofStories()).toEqual([]);
  await announce(at + 7 * DAY);
  expect(await ofStories()).toHaveLength(1);
  await stores.views.end(id, "bo");
  expect(await Promise.all((await ofStories()).map((edition) => buildDigest(partsOf(), edition)))).toEqual([
    { outcome: "NotConfigured" },
  ]);
});

test("an author or a site of a deleted mention leaves the tables of a mail that was built", async () => {
  const id = await save("Speakers", "/insights/speakers?last=7d", "ann");
  clock.set(MONDAY - DAY);
  await stores.views.mail(id, "ann", ZONE, clock.now());
  const [config] = planViews((await stores.views.mails()).filter(({ title }) => title === "Speakers"));
  if (config === undefined) throw new Error("it is not planned");
  await announceDigests(stores.digests, [config], MONDAY);
  await buildDigest(partsOf(), { name: config.name, localDate: "2026-03-30" });
  const body = await stores.digests.body(config.name, "2026-03-30");
  const author = /"name":"(author\d+)"/.exec(JSON.stringify(body))?.[1] ?? "";
  const names = shownNames(body, { authors: [`@${author}`, "nobody"], hashtags: [] });
  expect(names.authors).toEqual([`@${author}`]);
  const before = aMention({ author: `@${author}`, domain: "site1.example" });
  expect(JSON.stringify(body)).toContain('"site1.example"');
  const left = JSON.stringify(digestWithout(body, [{ before, after: null }], names));
  expect(left).not.toContain(`"${author}"`);
  expect(left).not.toContain('"site1.example"');
  expect(left).toContain('"site2.example"');
});
