import { expect, test } from "vitest";
import { onAnyEngine } from "./on-every-engine.ts";
import { NEGATIVE, RECALL, VERIFIED } from "./rules.ts";

onAnyEngine((begin) => {
  test("routes choose receivers by severity, query and rule", async () => {
    const { at, until, posted, mailed } = await begin({
      queries: ["Acme", "Bolt"],
      rules: {
        "verified-negative": VERIFIED,
        negative: NEGATIVE,
        "bolt-only": `${NEGATIVE}queries: [Bolt]\n`,
      },
      routes: [
        { match: { severity: "warning" }, receivers: ["crisis"], continue: true },
        { match: { rule: "bolt-only" }, receivers: ["on-call"] },
        { match: { query: "Bolt" }, receivers: ["team"] },
        { receivers: ["alerts"] },
      ],
    });
    at("09:01").mention("Acme", { sentiment: "negative", twitterVerified: true, fullname: "Ann" });
    at("09:02").mention("Bolt", { sentiment: "negative", fullname: "Bo" });
    await until("09:05");
    expect(await posted("#crisis")).toEqual([
      "WARNING Ann (verified) is negative about Acme. Since Mon 2 Mar, 09:01 UTC.",
    ]);
    expect((await posted("#alerts")).sort()).toEqual([
      "INFO Ann (verified) is negative about Acme. Since Mon 2 Mar, 09:01 UTC.",
      "WARNING Ann (verified) is negative about Acme. Since Mon 2 Mar, 09:01 UTC.",
    ]);
    expect(mailed("on-call@acme.example")).toEqual(["[INFO] Bo is negative about Bolt"]);
    expect(mailed("team@acme.example")).toEqual(["[INFO] Bo is negative about Bolt"]);
  });

  test("quiet hours hold alerts that are not critical, and send them when they end", async () => {
    const hours = { timezone: "Europe/Berlin", from: "22:00", to: "07:00", breakThrough: "critical" };
    const { at, until, posted } = await begin({
      from: "22:00",
      rules: {
        "verified-negative": VERIFIED.replace("30m", "12h"),
        recall: RECALL,
      },
      receiverSettings: { alerts: { quietHours: [hours] } },
    });
    at("22:03").mention("Acme", { sentiment: "negative", twitterVerified: true, fullname: "Ann" });
    at("22:05").mention("Acme", { snippet: "a recall", fullname: "Cy" });
    await until("22:30", "15m");
    await until("day 2 05:55", "3h");
    const night = [
      "CRITICAL Cy mentions Acme: “a recall”. Since Mon 2 Mar, 22:05 UTC.",
      "↳ Resolved: Acme, Recall after 20 min: 1 mention. It was “a recall”.",
    ];
    expect(await posted("#alerts")).toEqual(night);
    await until("day 2 06:00");
    expect(await posted("#alerts")).toEqual([
      ...night,
      "WARNING Ann (verified) is negative about Acme. Since Mon 2 Mar, 22:03 UTC.",
    ]);
  });
});
