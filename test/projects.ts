import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Rooms of src; test/ mirrors them. */
const ROOMS = ["lib", "listening-api", "monitor", "feeds", "console", "admin", "lab", "app", "cli"] as const;

type Project = "quick" | "thorough";

/** The handful of flows that `npm test` plays, on one engine; `npm run test:all` plays them on both. */
const STORIES: readonly string[] = ["test/flows/slack.test.ts", "test/flows/stories.test.ts"];

/** Only in `npm run test:all`: whole folders (`…/`) and files that start processes or browsers, play long orders, or wait. */
const THOROUGH: readonly string[] = [
  // Flows beyond the handful, the queue's contract on both engines, kills.
  "test/flows/",
  "test/oracle/worlds.test.ts",
  "test/oracle/insights.test.ts",
  "test/monitor/queue/cut-connections.test.ts",
  "test/monitor/queue/in-process.test.ts",
  "test/monitor/queue/postgres.test.ts",
  "test/monitor/queue/redis.test.ts",
  // Processes and browsers.
  "test/admin/doctor/doctor.test.ts",
  "test/admin/reload/reload.test.ts",
  "test/console/live.test.ts",
  "test/lab/rule-tests/test-databases.test.ts",
  "test/lab/demo/links.test.ts",
  "test/lab/demo/replay.test.ts",
  "test/lab/backtest/same-as-replay.test.ts",
  "test/build.test.ts",
  "test/mutants/mutants.test.ts",
  "test/contracts/own-notifier.test.ts",
  "test/lib/worker-pool.test.ts",
  "test/cli/api/process.test.ts",
  "test/cli/console-process.test.ts",
  "test/cli/listen-start.test.ts",
  "test/cli/local-api-start.test.ts",
  "test/monitor/store/embedded.test.ts",
  "test/cli/preview.test.ts",
  "test/cli/stop.test.ts",
  "test/feeds/stream-kills.test.ts",
  "test/feeds/undo.test.ts",
  "test/feeds/web-sub.test.ts",
  "test/console/browser.test.ts",
  "test/console/feeds-browser.test.ts",
  "test/console/insights-browser.test.ts",
  "test/console/pages-browser.test.ts",
  "test/console/people-browser.test.ts",
  "test/console/rules.test.ts",
  "test/console/rules-browser.test.ts",
  "test/console/workflow-browser.test.ts",
  // Hostile text.
  "test/monitor/ingest/long-addresses.test.ts",
  "test/listening-api/mentions/long-page.test.ts",
  "test/monitor/source/hostile-answers.test.ts",
  "test/monitor/templates/hostile-text.test.ts",
  "test/console/hostile.test.ts",
  "test/console/atom.test.ts",
  // Waits for seconds of the loop.
  "test/lib/loop-delay.test.ts",
  // Feeds: answers of hostile servers, streams that fall silent, processes.
  "test/console/inbox/open-local-inbox.test.ts",
  "test/admin/reload/reload-storms.test.ts",
  "test/cli/feeds.test.ts",
  "test/cli/forget.test.ts",
  "test/console/feeds.test.ts",
  "test/cli/listen.test.ts",
  "test/feeds/enrich/enrichment.test.ts",
  "test/feeds/bluesky-stream.test.ts",
  "test/feeds/fetch-feed.test.ts",
  "test/feeds/hacker-news.test.ts",
  "test/feeds/hostile-answers.test.ts",
  "test/feeds/lying-mailboxes.test.ts",
  "test/feeds/lying-stream-events.test.ts",
  "test/feeds/lying-streams.test.ts",
  "test/feeds/mailbox.test.ts",
  "test/feeds/much-at-once.test.ts",
  "test/feeds/recheck.test.ts",
  // Attacks: thousands of connections, processes, every expression of the product.
  "test/security/",
  // Conformance, and long orders of calls at the local Listening API.
  "test/conformance/",
  "test/listening-api/access.test.ts",
  "test/listening-api/account/read-account.test.ts",
  "test/listening-api/charts/charts.test.ts",
  "test/listening-api/faults/faults.test.ts",
  "test/listening-api/filters/filters.test.ts",
  "test/listening-api/import/import-at-once.test.ts",
  "test/listening-api/import/import-mentions.test.ts",
  "test/listening-api/insights/insights.test.ts",
  "test/listening-api/older-programs.test.ts",
  "test/listening-api/openapi.test.ts",
  "test/listening-api/operate/backup.test.ts",
  "test/listening-api/operate/operations.test.ts",
  "test/listening-api/insights/sampled-topics.test.ts",
  "test/listening-api/orders.test.ts",
  "test/listening-api/record-versions.test.ts",
  "test/listening-api/routes/token-route.test.ts",
  "test/listening-api/rules.test.ts",
  "test/listening-api/simulate/generated-fields.test.ts",
  "test/listening-api/simulate/stream.test.ts",
  "test/listening-api/walks.test.ts",
  "test/listening-api/writers/search-meanwhile.test.ts",
  "test/listening-api/wrong-requests.test.ts",
  // Servers with quirks, outages, waiting for vendors, whole years of a clock or a detector.
  "test/monitor/notify/two-days.test.ts",
  "test/monitor/notify/view/slack-limits.test.ts",
  "test/cli/closed-pipe.test.ts",
  "test/cli/test.test.ts",
  "test/monitor/rules/spike-life.test.ts",
  "test/lab/rule-tests/forecast.test.ts",
  "test/lab/rule-tests/shipped.test.ts",
  "test/cli/demo-then-monitor.test.ts",
  "test/cli/detect.test.ts",
  "test/monitor/digest/clock-changes.test.ts",
  "test/monitor/ingest/away-rules.test.ts",
  "test/monitor/ingest/new-values.test.ts",
  "test/monitor/ingest/poison.test.ts",
  "test/monitor/polling/poll-together.test.ts",
  "test/monitor/ingest/server-quirks.test.ts",
  "test/monitor/notify/notifiers/email-codes.test.ts",
  "test/monitor/notify/notifiers/email.test.ts",
  "test/monitor/notify/notifiers/slack/standing.test.ts",
];

/**
 * Only in `npm run test:all`, too, because each of them takes seconds, and `npm test` has two minutes. In all else they are
 * like quick ones.
 */
const SLOW: readonly string[] = [
  // Long orders of calls, and many of them at once, at the local Listening API.
  "test/listening-api/account/",
  "test/listening-api/assign/",
  "test/listening-api/filters/search.test.ts",
  "test/listening-api/http/limit-calls.test.ts",
  "test/listening-api/simulate/same-stream.test.ts",
  "test/listening-api/store/copy-line.test.ts",
  "test/listening-api/writers/",
  "test/listening-api/writing.test.ts",
  // Every order of what happens to a mention, and whole days of rules and of the detector.
  "test/lab/backtest/try-rule.test.ts",
  "test/lab/tries/save-rule.test.ts",
  "test/monitor/digest/cron.test.ts",
  "test/monitor/digest/view-mails.test.ts",
  // Turns of whole seconds.
  "test/monitor/sweep/start-sweeping.test.ts",
  // What the compiler says about each of some eight hundred statements.
  "test/statements.test.ts",
  // Plans and costs of statements on tables with many rows; thirty thousand words.
  "test/monitor/store/plans.test.ts",
  "test/monitor/store/storm-costs.test.ts",
  "test/feeds/enrich/word-vectors.test.ts",
  "test/monitor/ingest/forget-mentions.test.ts",
  "test/monitor/model/silence.test.ts",
  "test/monitor/polling/poll-by-groups.test.ts",
  "test/monitor/rules/absence-trend.test.ts",
  "test/monitor/rules/rule-form.test.ts",
  "test/monitor/rules/window-missing.test.ts",
  "test/monitor/rules/spike/explain-spike.test.ts",
  "test/monitor/rules/spike/labelled-series.test.ts",
  "test/monitor/rules/spike/waves.test.ts",
  "test/monitor/store/budgets.test.ts",
  "test/monitor/store/mention-counts.test.ts",
  // Texts of every letter there is, and every template.
  "test/cli/common/format-table.test.ts",
  "test/lib/fold-text.test.ts",
  "test/monitor/templates/create-renderer.test.ts",
  // Messages that are corrected, connections that end, a vendor that is away.
  "test/monitor/notify/deliver/correct-message.test.ts",
  "test/monitor/notify/notifiers/slack/listen-socket.test.ts",
  "test/monitor/notify/outage.test.ts",
  // Commands with a whole account, or with servers of their own.
  "test/cli/alerts.test.ts",
  "test/cli/api/run-api.test.ts",
  "test/cli/bounce.test.ts",
  "test/cli/check.test.ts",
  "test/cli/incidents.test.ts",
  "test/cli/local-api.test.ts",
  "test/cli/users.test.ts",
  // Pages with many alerts, a PDF, and what many people ask for at once.
  "test/console/insights/pages.test.ts",
  "test/console/inbox/render-slack-message.test.ts",
  "test/console/one-at-a-time.test.ts",
  "test/console/review.test.ts",
  "test/console/search.test.ts",
  "test/console/share-answers.test.ts",
  "test/console/templates.test.ts",
  "test/console/workflow.test.ts",
  // Feeds: documents that end their process, senses that are learnt, pages that are asked for again.
  "test/feeds/completeness.test.ts",
  "test/feeds/enrich/learned-relevance.test.ts",
  "test/feeds/recheck-pages.test.ts",
  "test/feeds/run-feeds.test.ts",
  "test/feeds/setup/group-senses.test.ts",
  "test/feeds/stack-exchange.test.ts",
  "test/feeds/unreadable.test.ts",
  "test/feeds/words-of-servers.test.ts",
];

/** Those that take longest. CI has half an hour, and plays one in three of them. */
const LONGEST: readonly string[] = [
  "test/oracle/worlds.test.ts",
  "test/lab/rule-tests/shipped.test.ts",
  "test/flows/outages.test.ts",
  "test/flows/forgotten.test.ts",
  "test/console/pages-browser.test.ts",
  "test/security/every-pattern-is-linear.test.ts",
  "test/security/greatest-size.test.ts",
  "test/security/image-builds.test.ts",
  "test/security/typed-templates-stop-nothing.test.ts",
  "test/flows/digest.test.ts",
  "test/cli/listen-start.test.ts",
  "test/monitor/store/embedded.test.ts",
  "test/console/people-browser.test.ts",
  "test/console/templates.test.ts",
  "test/oracle/insights.test.ts",
  "test/cli/stop.test.ts",
  "test/lab/rule-tests/forecast.test.ts",
  "test/security/embedded-postgres-is-no-superuser.test.ts",
  "test/console/workflow-browser.test.ts",
  "test/monitor/ingest/server-quirks.test.ts",
  "test/flows/beside.test.ts",
  "test/contracts/own-notifier.test.ts",
  "test/console/rules.test.ts",
  "test/flows/faults.test.ts",
  "test/monitor/templates/hostile-text.test.ts",
  "test/security/much-at-once.test.ts",
  "test/console/browser.test.ts",
  "test/console/feeds.test.ts",
  "test/security/typed-rules-stop-nothing.test.ts",
  "test/security/replay-and-demo-have-own-secrets.test.ts",
  "test/cli/console-process.test.ts",
  "test/listening-api/orders.test.ts",
  "test/console/rules-browser.test.ts",
  "test/build.test.ts",
  "test/flows/operators.test.ts",
  "test/cli/listen.test.ts",
  "test/flows/severity.test.ts",
  "test/listening-api/charts/charts.test.ts",
  "test/lab/backtest/same-as-replay.test.ts",
  "test/feeds/lying-mailboxes.test.ts",
  "test/flows/vendor-faults.test.ts",
  "test/flows/reload.test.ts",
  "test/lab/demo/replay.test.ts",
  "test/listening-api/import/import-at-once.test.ts",
  "test/feeds/stream-kills.test.ts",
  "test/security/pipeline-comes-first.test.ts",
  "test/cli/demo-then-monitor.test.ts",
  "test/security/routes-need-roles.test.ts",
  "test/console/feeds-browser.test.ts",
  "test/security/late-loops-are-seen.test.ts",
  "test/security/password-cannot-be-guessed.test.ts",
  "test/cli/test.test.ts",
  "test/flows/rate-limit.test.ts",
  "test/console/insights-browser.test.ts",
];

/** Begun last, one of them would be all that is left, on one processor of two: these begin first, the longest before the others. */
export const BEGUN_FIRST = LONGEST;

/** What a run of CI leaves out, by the seed of its commit: of three seeds in a row, each plays another third. */
export function leftOut(seed: string | undefined): readonly string[] {
  return seed === undefined ? [] : LONGEST.filter((_, nth) => (nth + Number(seed)) % 3 !== 0);
}

/**
 * Every test file (paths from the root) in the one project that runs it. And what else can be named of the quick ones:
 * `unit`, which needs no database, `db`, and each room.
 */
export function projectsOf(root: string): {
  readonly projects: Readonly<Record<Project, readonly string[]>>;
  readonly parts: Readonly<Record<string, readonly string[]>>;
} {
  const files = testFiles(root);
  const usesDatabase = databaseUsers(root);
  const isStory = (file: string) => STORIES.includes(file);
  const thorough = files.filter((file) => isThorough(file) && !isStory(file));
  const small = files.filter((file) => !isThorough(file) && !isStory(file));
  const rooms = ROOMS.map((room) => [room, small.filter((file) => file.startsWith(`test/${room}/`))]);
  return {
    projects: { quick: [...STORIES, ...small], thorough },
    parts: {
      unit: small.filter((file) => !usesDatabase(file)),
      db: small.filter(usesDatabase),
      ...Object.fromEntries(rooms),
    },
  };
}

/** Whether only `npm run test:all` runs it, or `npm test` as one of its stories. */
function isThorough(file: string): boolean {
  return isWhole(file) || isListed(file, SLOW);
}

/** Whether it is a flow, starts processes or browsers, or meets hostile servers: its database has the clock of the machine. */
export function isWhole(file: string): boolean {
  return isListed(file, THOROUGH);
}

function isListed(file: string, list: readonly string[]): boolean {
  return list.some((one) => file === one || (one.endsWith("/") && file.startsWith(one)));
}

export function testFiles(root: string): readonly string[] {
  return readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => `test/${file.replaceAll("\\", "/")}`)
    .sort();
}

/** Entries of the lists above that match no file. */
export function missingEntries(root: string): readonly string[] {
  const files = testFiles(root);
  return [...STORIES, ...THOROUGH, ...SLOW, ...BEGUN_FIRST].filter((one) =>
    one.endsWith("/") ? !files.some((file) => file.startsWith(one)) : !files.includes(one),
  );
}

/** Whether a file imports test/postgres.ts, directly or through other tests. */
function databaseUsers(root: string): (file: string) => boolean {
  const known = new Map<string, boolean>();
  const asks = (file: string): boolean => {
    const before = known.get(file);
    if (before !== undefined) return before;
    known.set(file, false);
    const text = readFileSync(join(root, file), "utf8");
    const imports = [...text.matchAll(/^(?:import|\}).* "(\.[^"]+\.ts)";$/gm)]
      .map(([, path = ""]) => join(dirname(file), path).replaceAll("\\", "/"))
      .filter((path) => path.startsWith("test/"));
    const found = file === "test/postgres.ts" || imports.some(asks);
    known.set(file, found);
    return found;
  };
  return asks;
}
