import { expect, test } from "vitest";
import { parseConfig } from "../../../src/admin/config/config.ts";
import { createManualClock } from "../../../src/lib/clock.ts";
import { MINUTE } from "../../../src/lib/instant.ts";
import { createNotifyConfig } from "../../../src/monitor/health/notify-config.ts";
import { recordProblems } from "../../../src/monitor/ingest/record-problems.ts";
import { OWN_QUERY } from "../../../src/monitor/model/query.ts";
import { useStores } from "../../use-stores.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { stores } = await useStores();

test("a problem that goes on is told as it is now, and is one alert, which began when the problem did", async () => {
  const clock = createManualClock(NOON);
  const notifyConfig = createNotifyConfig(
    await parseConfig({
      source: { baseUrl: "https://l.example", username: "a", password: "b", clientId: "c" },
      receivers: [{ name: "program", kind: "webhook", url: "https://p.example" }],
      routes: [{ receivers: ["program"] }],
    }),
  );
  for (const bounces of [2, 5]) {
    clock.advance(5 * MINUTE);
    await recordProblems({ stores, notifyConfig, clock }, [
      {
        ...{ rule: "receiver-bounces", labels: { receiver: "on-call" }, since: NOON },
        ...{ because: `${bounces} mails came back`, values: { bounces } },
      },
    ]);
  }
  const open = await stores.alerts.openOfQuery(OWN_QUERY.projectId, OWN_QUERY.queryId);
  expect(open).toMatchObject([
    {
      because: "5 mails came back",
      values: { bounces: 5 },
      openedAt: NOON,
      firedAt: NOON + 5 * MINUTE,
      notifyCount: 1,
    },
  ]);
});
