import { expect, test } from "vitest";
import { HOUR } from "../../src/lib/instant.ts";
import { onEveryEngine } from "./on-every-engine.ts";
import { NEGATIVE, VERIFIED } from "./rules.ts";
import { asAdministrator } from "./story.ts";
import { storyTime } from "./story-time.ts";

onEveryEngine((begin) => {
  test("the day's digest is sent once at its local time, with any number of processes and sweeps", async () => {
    const story = await begin({
      from: "22:00",
      rules: { negative: NEGATIVE },
      digests: [{ name: "morning-read", at: "08:00", timezone: "Europe/Berlin", receivers: ["team"] }],
      source: { pollEvery: "30m", updatesEvery: "2h" },
    });
    const { at, until, mailed, smtp } = story;
    const other = await story.join();
    at("08:30").mentions("Acme", { count: 4, every: "1m", sentiment: "positive" });
    at("22:10").mentions("Acme", {
      count: 3,
      every: "1m",
      sentiment: "negative",
      author: "late_again",
      snippet: "The parcel is late again, <b>third</b> time #LateAgain",
    });
    at("23:10").mentions("Acme", { count: 3, every: "1m", sentiment: "neutral" });
    await until("day 2 06:30", "85m");
    expect(mailed("team@acme.example")).toEqual([]);
    await until("day 2 07:00");
    await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? story.earshot : other).sweep()));
    await story.settle();
    await until("day 2 09:00", "20m");
    expect(mailed("team@acme.example")).toEqual([
      "Morning read, Mon 2 Mar 2026: 10 mentions, 30% negative, 1 alert",
    ]);
    expect(smtp.mails[0]?.parsed.text?.split("\n").slice(0, 18)).toEqual([
      "Morning read: Brands, Mon 2 Mar 2026",
      "",
      "10 mentions.",
      "30% negative; 30% neutral, 40% positive.",
      "▁█▁▁▁▁▁▁▁▁▁▁▁▁▁▇▇▁▁▁▁▁▁▁  most at Mon 2 Mar, 09:00 CET (4 in an hour)",
      "",
      "- Acme: 10, 30% negative",
      "",
      "Alerts",
      "------",
      "- INFO Acme, Negative: Mon 2 Mar, 23:10 CET, resolved after 22 min",
      "  negative",
      "",
      "Top stories",
      "-----------",
      "- The parcel is late again, <b>third</b> time #LateAgain",
      "  Acme, shared 3 times, 100% negative, since Mon 2 Mar, 23:10 CET",
      "",
    ]);
    // The source counts the most active authors and most used hashtags, and a digest asks for them: it writes them in
    // lower case.
    expect(smtp.mails[0]?.parsed.text).toMatch(/^Top authors\n-+\n- late_again: 3 mentions, 3 negative$/m);
    expect(smtp.mails[0]?.parsed.text).toMatch(/^Hashtags: #lateagain 3$/m);
    await until("day 3 07:10", "221m");
    expect(mailed("team@acme.example")).toHaveLength(2);
  });

  test("a digest waits until its windows are judged: what ended in the last of them is not still going on", async () => {
    const story = await begin({
      from: "21:00",
      rules: { negative: NEGATIVE },
      digests: [{ name: "day", at: "00:00", timezone: "Europe/Berlin", receivers: ["team"] }],
    });
    story.at("22:38").mention("Acme", { sentiment: "negative", fullname: "Ann" });
    await story.until("22:55");
    // Midnight in Berlin. All is read, as if by another process, and nobody has judged the last five minutes.
    story.clock.set(storyTime("23:00"));
    await asAdministrator(
      story.databaseUrl,
      `update earshot.polls set complete_until = '${new Date(storyTime("23:00")).toISOString()}'`,
    );
    const early = await story.earshot.sweep();
    expect(early).toMatchObject({ windows: 1, digests: 0 });
    await story.settle();
    expect(story.mailed("team@acme.example")).toEqual([
      "Day, Mon 2 Mar 2026: 1 mention, 100% negative, 1 alert",
    ]);
    const [mail] = story.smtp.mails;
    expect(mail?.parsed.text).toContain("resolved after 20 min");
    expect(mail?.parsed.text).not.toContain("still going on");
  });

  test("a digest does not compare with the days before the first mention", async () => {
    const story = await begin({
      rules: { negative: NEGATIVE },
      source: { history: "3d" },
      digests: [{ name: "day", at: "12:00", timezone: "UTC", receivers: ["team"] }],
    });
    for (const day of ["day 1 10:00", "day 1 14:00", "day 2 14:00", "day 3 14:00"])
      story.at(day).mentions("Acme", { count: 15, sentiment: "positive", snippet: "Good" });
    await story.until("day 4 12:00", "2h");
    const text = story.smtp.mails.at(-1)?.parsed.text;
    expect(text).toContain("about the 15 of the period before");
    expect(text).not.toContain("usual");
  });

  test("the week's digest says which messages nobody needed, and what would have spared them", async () => {
    const { at, until, posted, smtp, actions, earshot, clock } = await begin({
      rules: { negative: NEGATIVE, verified: VERIFIED },
      routes: [{ receivers: ["alerts"] }],
      digests: [
        { name: "week", every: "week", on: "mon", at: "08:00", timezone: "UTC", receivers: ["team"] },
      ],
    });
    for (const day of ["day 1", "day 2", "day 3", "day 4"])
      at(`${day} 10:00`).mention("Acme", { sentiment: "negative", snippet: `Late again on ${day}` });
    at("day 5 10:00").mention("Acme", { sentiment: "negative", twitterVerified: true, snippet: "A recall" });
    await until("day 5 10:10", "4h");
    const open = await earshot.stores.alerts.openedBetween(clock.now() - HOUR, clock.now());
    const needed = open.find(({ rule }) => rule === "verified")?.id ?? "";
    await actions.act(needed, { do: "acknowledge" }, { via: "page", login: "ann", typed: null });
    await until("day 8 08:10", "4h");
    const text = smtp.mails.at(-1)?.parsed.text ?? "";
    expect(text).toContain("Messages that nobody needed");
    const [, unneeded, all] = /^- alerts: (\d+) of (\d+) messages$/m.exec(text) ?? [];
    expect(Number(all)).toBe((await posted("#alerts")).length);
    expect(Number(all)).toBeGreaterThan(Number(unneeded));
    // All but those about the one alert that somebody acknowledged.
    const remedy = "nobody acted on any; above the other routes, { name: negative on the console, match";
    expect(text).toContain(`\n- Negative: ${unneeded} of ${unneeded} messages; ${remedy}`);
    expect(text).not.toMatch(/^- Verified: /m);
  });
});
