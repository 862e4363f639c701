import { expect, test } from "vitest";
import { HOUR, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import { announceDigests } from "../../../src/monitor/digest/announce-digests.ts";
import { DigestConfig } from "../../../src/monitor/digest/digest-config.ts";
import { planDigests } from "../../../src/monitor/digest/planned-digest.ts";
import type { DigestEdition } from "../../../src/monitor/model/digest.ts";

/**
 * Runs digests over mentions at these moments (UTC) and returns `local time of the digest: local time from – to, hours,
 * its mentions`. The clock steps a quarter of an hour, as sweeps would.
 */
async function digestsOf(given: {
  readonly digest: {
    readonly at?: string;
    readonly cron?: string;
    readonly timezone: string;
    readonly every?: string;
  };
  readonly from: string;
  readonly to: string;
  /** By name. */
  readonly mentions: Readonly<Record<string, string>>;
}): Promise<string[]> {
  const planned = planDigests([DigestConfig.parse({ name: "d", receivers: ["ann"], ...given.digest })]);
  const [since, until] = [Date.parse(given.from), Date.parse(given.to)];
  const editions: DigestEdition[] = [];
  const lines: string[] = [];
  for (let now = since; now <= until; now += 15 * MINUTE) {
    const store = {
      since: async () => since,
      latest: async () => editions.at(-1) ?? null,
      announce: async (edition: DigestEdition) => {
        editions.push(edition);
        lines.push(describeEdition(edition, now));
      },
    };
    // Two workers check at every moment.
    await announceDigests(store, planned, now);
    await announceDigests(store, planned, now);
  }
  return lines;

  function describeEdition({ period }: DigestEdition, now: Instant): string {
    const zone = given.digest.timezone;
    const inside = Object.entries(given.mentions)
      .filter(([, at]) => Date.parse(at) >= period.from && Date.parse(at) < period.to)
      .map(([name]) => name);
    const hours = (period.to - period.from) / HOUR;
    return `${local(now, zone)}: ${local(period.from, zone)} – ${local(period.to, zone)}, ${hours} h: ${inside.join(", ")}`;
  }
}

function local(at: Instant, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return parts.format(at).replaceAll(",", "");
}

test("Berlin, spring: the day of the change has 23 hours, and each mention is in one digest", async () => {
  expect(
    await digestsOf({
      digest: { at: "08:00", timezone: "Europe/Berlin" },
      from: "2026-03-27T12:00Z",
      to: "2026-03-30T12:00Z",
      mentions: {
        "last before Saturday's": "2026-03-28T06:59:59Z",
        "first after it": "2026-03-28T07:00:00Z",
        "before the gap": "2026-03-29T00:59:59Z",
        "after the gap": "2026-03-29T01:00:00Z",
        "last before Sunday's": "2026-03-29T05:59:59Z",
        "on Sunday": "2026-03-29T06:00:00Z",
      },
    }),
  ).toEqual([
    "Sat 28 Mar 08:00: Fri 27 Mar 08:00 – Sat 28 Mar 08:00, 24 h: last before Saturday's",
    "Sun 29 Mar 08:00: Sat 28 Mar 08:00 – Sun 29 Mar 08:00, 23 h: first after it, before the gap, after the gap, last before Sunday's",
    "Mon 30 Mar 08:00: Sun 29 Mar 08:00 – Mon 30 Mar 08:00, 24 h: on Sunday",
  ]);
});

test("Berlin, autumn: the hour that comes twice is in one digest, in a day of 25 hours", async () => {
  expect(
    await digestsOf({
      digest: { at: "08:00", timezone: "Europe/Berlin" },
      from: "2026-10-24T12:00Z",
      to: "2026-10-26T12:00Z",
      mentions: {
        "half past two": "2026-10-25T00:30:00Z",
        "half past two again": "2026-10-25T01:30:00Z",
        "on Sunday": "2026-10-25T07:00:00Z",
      },
    }),
  ).toEqual([
    "Sun 25 Oct 08:00: Sat 24 Oct 08:00 – Sun 25 Oct 08:00, 25 h: half past two, half past two again",
    "Mon 26 Oct 08:00: Sun 25 Oct 08:00 – Mon 26 Oct 08:00, 24 h: on Sunday",
  ]);
});

test("a digest at a time that is skipped comes after the gap, and one at a time that comes twice comes once", async () => {
  const digest = { at: "02:30", timezone: "Europe/Berlin" };
  expect(
    await digestsOf({
      digest,
      from: "2026-03-28T12:00Z",
      to: "2026-03-30T12:00Z",
      mentions: { "at the gap": "2026-03-29T01:00:00Z" },
    }),
  ).toEqual([
    "Sun 29 Mar 03:00: Sat 28 Mar 02:30 – Sun 29 Mar 03:00, 23.5 h: ",
    "Mon 30 Mar 02:30: Sun 29 Mar 03:00 – Mon 30 Mar 02:30, 23.5 h: at the gap",
  ]);
  expect(
    await digestsOf({
      digest,
      from: "2026-10-24T12:00Z",
      to: "2026-10-26T12:00Z",
      mentions: { "in the second round": "2026-10-25T01:29:59Z" },
    }),
  ).toEqual([
    "Sun 25 Oct 02:30: Sat 24 Oct 02:30 – Sun 25 Oct 02:30, 24 h: ",
    "Mon 26 Oct 02:30: Sun 25 Oct 02:30 – Mon 26 Oct 02:30, 25 h: in the second round",
  ]);
});

test("Lord Howe changes by half an hour, south of the equator: days of 24½ and 23½ hours", async () => {
  const digest = { at: "07:30", timezone: "Australia/Lord_Howe" };
  // April: from +11 back to +10:30. October: forward again.
  expect(
    await digestsOf({ digest, from: "2026-04-04T00:00Z", to: "2026-04-06T00:00Z", mentions: {} }),
  ).toEqual([
    "Sun 5 Apr 07:30: Sat 4 Apr 07:30 – Sun 5 Apr 07:30, 24.5 h: ",
    "Mon 6 Apr 07:30: Sun 5 Apr 07:30 – Mon 6 Apr 07:30, 24 h: ",
  ]);
  expect(
    await digestsOf({ digest, from: "2026-10-03T00:00Z", to: "2026-10-05T00:00Z", mentions: {} }),
  ).toEqual([
    "Sun 4 Oct 07:30: Sat 3 Oct 07:30 – Sun 4 Oct 07:30, 23.5 h: ",
    "Mon 5 Oct 07:30: Sun 4 Oct 07:30 – Mon 5 Oct 07:30, 24 h: ",
  ]);
});

test("Kolkata is half an hour off all year, and a mention belongs to the day on the reader's wall", async () => {
  expect(
    await digestsOf({
      digest: { at: "00:00", timezone: "Asia/Kolkata" },
      from: "2026-03-28T12:00Z",
      to: "2026-03-30T00:00Z",
      mentions: {
        "Saturday, 23:59": "2026-03-28T18:29:59Z",
        "Sunday, 00:00": "2026-03-28T18:30:00Z",
      },
    }),
  ).toEqual([
    "Sun 29 Mar 00:00: Sat 28 Mar 00:00 – Sun 29 Mar 00:00, 24 h: Saturday, 23:59",
    "Mon 30 Mar 00:00: Sun 29 Mar 00:00 – Mon 30 Mar 00:00, 24 h: Sunday, 00:00",
  ]);
});

test("a weekly digest and one on a cron line keep to the wall across the change, too", async () => {
  expect(
    await digestsOf({
      digest: { at: "09:00", timezone: "Europe/Berlin", every: "week" },
      from: "2026-03-22T12:00Z",
      to: "2026-03-31T00:00Z",
      mentions: { "on the Sunday of the change": "2026-03-29T12:00:00Z" },
    }),
  ).toEqual([
    "Mon 23 Mar 09:00: Mon 16 Mar 09:00 – Mon 23 Mar 09:00, 168 h: ",
    "Mon 30 Mar 09:00: Mon 23 Mar 09:00 – Mon 30 Mar 09:00, 167 h: on the Sunday of the change",
  ]);
  expect(
    await digestsOf({
      digest: { cron: "0 0,12 * * *", timezone: "America/New_York" },
      from: "2026-11-01T00:00Z",
      to: "2026-11-02T12:00Z",
      mentions: { "one o'clock, the second": "2026-11-01T06:30:00Z" },
    }),
  ).toEqual([
    "Sun 1 Nov 00:00: Sat 31 Oct 12:00 – Sun 1 Nov 00:00, 12 h: ",
    "Sun 1 Nov 12:00: Sun 1 Nov 00:00 – Sun 1 Nov 12:00, 13 h: one o'clock, the second",
    "Mon 2 Nov 00:00: Sun 1 Nov 12:00 – Mon 2 Nov 00:00, 12 h: ",
  ]);
});
