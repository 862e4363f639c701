import { beforeAll, expect, test } from "vitest";
import { createManualClock } from "../../../src/lib/clock.ts";
import { DAY, HOUR } from "../../../src/lib/instant.ts";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import { buildDigest } from "../../../src/monitor/digest/build-digest.ts";
import { DigestConfig } from "../../../src/monitor/digest/digest-config.ts";
import type { FetchInsights } from "../../../src/monitor/digest/insights.ts";
import { planDigests } from "../../../src/monitor/digest/planned-digest.ts";
import { forgetSecret } from "../../../src/monitor/ingest/forget-requests.ts";
import { askedHash } from "../../../src/monitor/model/forget-request.ts";
import { storedDigest } from "../../../src/monitor/templates/digest-view.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";

const TO = Date.parse("2026-03-03T08:00:00Z");
const { stores } = await useStores();
const [acme, rival] = [oddQuery({ queryId: "1" }), oddQuery({ queryId: "2" })];
const digests = planDigests([
  DigestConfig.parse({ name: "morning", at: "08:00", timezone: "UTC", receivers: ["desk"] }),
]);

beforeAll(() => stores.queries.register([acme, rival], TO - 3 * DAY, TO - 3 * DAY));

/** The authors that an edition names, of a source that answers so. */
async function namedIn(localDate: string, fetchInsights: FetchInsights): Promise<readonly string[]> {
  const to = Date.parse(`${localDate}T08:00:00Z`);
  const period = { from: to - DAY, to };
  const before = { from: to - 2 * DAY, to: to - DAY };
  await stores.digests.announce({ name: "morning", localDate, dueAt: to, period, before });
  const parts = { clock: createManualClock(to), historyMs: () => DAY, consoleUrl: () => null };
  await buildDigest(
    { ...parts, store: stores, digests, fetchInsights, titleOf: (rule) => rule, onPending: async () => {} },
    { name: "morning", localDate },
  );
  const { topAuthors } = storedDigest(await stores.digests.body("morning", localDate));
  return (topAuthors ?? []).map(({ name }) => name).sort();
}
const counted = (...names: string[]) => ({
  authors: names.map((name) => ({ name, mentions: 2, negative: 1 })),
  hashtags: [],
});

test("who asked to be forgotten is not named, though the source counts them still, also if they ask meanwhile", async () => {
  const ask = async (value: string, at: number) => {
    const asked = askedHash(await forgetSecret(stores), { what: "author", value, source: null });
    await stores.forgotten.addRequest({
      ...{ id: uuid7(at), at, actor: { via: "shell", login: "bo", typed: null }, what: "author", asked },
      ...{ ofOneSource: false, mentions: 0, alerts: 0, localMentions: null, files: null },
    });
  };
  const said = async () => counted("@ann", "bob", "cem");
  expect(await namedIn("2026-03-01", said)).toEqual(["@ann", "bob", "cem"]);
  // Of before the period: what somebody publishes afterwards is theirs to publish.
  await ask("cem", TO - DAY - HOUR);
  await ask("ann", TO - HOUR);
  const meanwhile: FetchInsights = async () => {
    await ask("bob", TO - HOUR);
    return said();
  };
  expect(await namedIn("2026-03-03", meanwhile)).toEqual(["cem"]);
});

test("what the source counted of other queries than there are now is not shown", async () => {
  const left: FetchInsights = async () => {
    await stores.queries.register([acme], TO, TO);
    return counted("dee");
  };
  expect(await namedIn("2026-03-04", left)).toEqual([]);
});
