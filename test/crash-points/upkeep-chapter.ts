import type { Chapter } from "./chapter.ts";

const calm = { sentiment: "neutral", snippet: "Nothing much" };

/** Of what has no months: a row that ended on this day. The last ones end by the machine's clock. */
const ENDED = (day: string): string => `
  insert into earshot.silences (id, match, author, comment, created_at, starts_at, ends_at, windows)
    values (gen_random_uuid(), '{}', 'ann', 'ended ${day}', '${day}', '${day}', '${day}', '[]');
  insert into earshot.digests (project_id, name, local_date, period_from, period_to, before_from, before_to, due_at, state, body)
    values ('*', 'ended ${day}', '${day}', '${day}', '${day}', '${day}', '${day}', '${day}', 'built', '{"text": "So be it"}');
  insert into earshot.held_rules (project_id, query_id, rule, held_at, window_from, in_window, held, last_at, resumed_at)
    values ('p', '1', 'ended ${day}', '${day}', '${day}', 1, 1, '${day}', '${day}');
  insert into earshot.rooms (id, project_id, incident_id, secret_hash, created_at, until, actor)
    values (gen_random_uuid(), 'p', gen_random_uuid(), sha256('${day}'), '${day}', '${day}', '{"login": "ended ${day}"}');
  insert into earshot.access_tokens (id, secret_hash, name_key, label, scope, created_at, until)
    values (gen_random_uuid(), sha256('${day}'), 'ann', 'ended ${day}', 'read', '${day}', '${day}');
  insert into earshot.one_time_codes (secret_hash, purpose, name_key, until)
    values (sha256('${day}'), 'slack', 'ended ${day}', '${day}');`;

/** The server has shown that one call may be about several queries; each sandbox knows it by an address of its own. */
export const SHARING = `alter table earshot.budgets alter sharing set default 'proven';
  update earshot.budgets set sharing = 'proven'`;

const OLD = "2026-04-28T12:00:00Z";
const RECENT = "2026-05-28T12:00:00Z";

/** What nobody asks for: counting, pruning, and the comparison with the counts of the source. */
export const UPKEEP: Chapter = {
  name: "upkeep",
  also: ["upkeep too"],
  // Nothing is read twice: a mention that the source shows a day late is found by its counts alone.
  source: { updatesEvery: "1d", overlap: "0s", lookback: "1h", settle: "0s" },
  from: "day 58 12:00",
  said: [
    [
      "day 58 12:01",
      {
        sentiment: "negative",
        author: "ann",
        fullname: "Ann",
        snippet: "Never again",
        resourceId: "of April",
      },
    ],
    ["day 91 23:20", { ...calm, author: "bo", fullname: "Bo", resourceId: "of May" }],
    ["day 91 23:12", { ...calm, resourceId: "of May too", query: "upkeep too" }],
    ["day 91 23:14", { ...calm, author: "cy", fullname: "Cy", resourceId: "late", indexedAfter: "70m" }],
  ],
  shows: [
    /^count_checks: .*"outcome":"Narrowed"/,
    /^count_checks: .*"outcome":"Missing"/,
    /^count_checks: .*"outcome":"Agrees"/,
    /^counted_queries: .*"fruitless":1/,
    /^mentions: .*"late"/,
    /^silences: .*ended 2026-05/,
    /^mention_days: .*"cy"/,
  ],
  hides: [/^\w+: .*(of April|Never again|ended 2026-04)/, /^(mention_\w+|counts|alert\w*): .*2026-04-28/],
  points:
    /^create table|^commit of: drop table|^delete from|earshot\.(count_checks|stale_counts)|jsonb_set\(state, '\{gap\}'|set state = \$/,
  does: [
    /^create table earshot\.mentions_2026_07 /,
    /^commit of: drop table if exists "earshot"\."mentions_2026_04"/,
    /^delete from earshot\.(silences|digests|held_rules|rooms|access_tokens|one_time_codes) /,
    /^commit of: .*delete from earshot\.stale_counts/,
  ],
  config: { retention: "31d", routes: [{ receivers: ["crisis"], repeatEvery: "never" }] },
  before: [
    { until: "day 58 12:05" },
    { until: "day 58 12:40" },
    { sql: ENDED(OLD) + ENDED(RECENT) },
    { until: "day 91 23:30" },
    { sql: SHARING },
  ],
  // A month has ended. The source has more than is stored: both queries, then each; the one reads its week again.
  happenings: [
    { until: "day 92 00:30" },
    { upkeep: true },
    { until: "day 92 00:36" },
    { upkeep: true },
    { until: "day 92 00:42" },
    { upkeep: true },
    { until: "day 92 00:48" },
    { upkeep: true },
  ],
};
