import { expect, test } from "vitest";
import { HOUR } from "../../../../src/lib/instant.ts";
import { whyAlert } from "../../../../src/monitor/explain/why.ts";
import { RouteConfig } from "../../../../src/monitor/notify/decide/route.ts";
import { createConsoleStore } from "../../../../src/monitor/store/console.ts";
import { anAlert } from "../../../console/make-a-story.ts";
import { useStores } from "../../../use-stores.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const { database, stores } = await useStores();
const facts = createConsoleStore(database.db);

test("a receiver that a reload has added to a route that takes the alert is routed", async () => {
  const alert = anAlert({ openedAt: NOW - HOUR, severity: "warning" });
  await stores.alerts.save([alert]);
  const routes = [
    { match: { severity: "critical" }, receivers: ["added", "phone"], continue: true },
    { receivers: ["added"] },
  ];
  const routing = {
    routes: routes.map((one) => RouteConfig.parse(one)),
    receivers: ["added", "phone", "spare"],
  };
  const { notified } = await whyAlert({ stores, facts, rules: [], routing }, alert);
  expect(notified.map(({ receiver, outcome, text }) => [receiver, outcome, text])).toEqual([
    ["added", "NotSent", "a route leads here now; when the alert was last decided, none did"],
    [
      "phone",
      "NoRoute",
      "no route takes it there: route 1: it wants severity critical or higher, and it is warning",
    ],
    ["spare", "NoRoute", "no route names it"],
  ]);
});
