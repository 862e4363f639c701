import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export type Project = "unit" | "db" | "stories" | "thorough";

/** The handful of flows that `npm test` plays, on one engine; `npm run test:all` plays them on both. */
const STORIES: readonly string[] = [
  "test/flows/actions.test.ts",
  "test/flows/slack.test.ts",
  "test/flows/stories.test.ts",
];

/** Only in `npm run test:all`: whole folders (`…/`) and files that start processes or browsers, play long orders, or wait. */
const THOROUGH: readonly string[] = [
  // Flows beyond the handful, the queue's contract on both engines, kills.
  "test/flows/",
  "test/queue/",
  // Processes and browsers.
  "test/health/doctor/doctor.test.ts",
  "test/demo/links.test.ts",
  "test/demo/replay.test.ts",
  "test/backtest/same-as-replay.test.ts",
  "test/build.test.ts",
  "test/contracts/own-notifier.test.ts",
  "test/lib/worker-pool.test.ts",
  "test/cli/api/api-cache.test.ts",
  "test/cli/api/process.test.ts",
  "test/cli/console-process.test.ts",
  "test/cli/listen-start.test.ts",
  "test/cli/local-api-start.test.ts",
  "test/store/embedded.test.ts",
  "test/cli/preview.test.ts",
  "test/cli/stop.test.ts",
  "test/feeds/stream-kills.test.ts",
  "test/web/browser.test.ts",
  "test/web/feeds-browser.test.ts",
  "test/web/rules.test.ts",
  "test/web/rules-browser.test.ts",
  // Hostile text.
  "test/ingest/long-addresses.test.ts",
  "test/local-api/mentions/long-page.test.ts",
  "test/source/hostile-answers.test.ts",
  "test/templates/hostile-text.test.ts",
  "test/web/hostile.test.ts",
  // Waits for seconds of the loop.
  "test/lib/loop-delay.test.ts",
  // Feeds: answers of hostile servers, streams that fall silent, processes.
  "test/app/open-local-inbox.test.ts",
  "test/cli/listen.test.ts",
  "test/enrich/enrichment.test.ts",
  "test/feeds/bluesky-stream.test.ts",
  "test/feeds/fetch-feed.test.ts",
  "test/feeds/hostile-answers.test.ts",
  "test/feeds/mailbox.test.ts",
  "test/feeds/recheck.test.ts",
  // Attacks: thousands of connections, processes, every expression of the product.
  "test/security/",
  // Conformance, and long orders of calls at the local Listening API.
  "test/conformance/",
  "test/local-api/access.test.ts",
  "test/local-api/charts/charts.test.ts",
  "test/local-api/faults/faults.test.ts",
  "test/local-api/filters/filters.test.ts",
  "test/local-api/import/import-mentions.test.ts",
  "test/local-api/insights/insights.test.ts",
  "test/local-api/orders.test.ts",
  "test/local-api/record-versions.test.ts",
  "test/local-api/routes/token-route.test.ts",
  "test/local-api/simulate/generated-fields.test.ts",
  "test/local-api/simulate/stream.test.ts",
  "test/local-api/walks.test.ts",
  "test/local-api/wrong-requests.test.ts",
  // Servers with quirks, outages, waiting for vendors, whole years of a clock or a detector.
  "test/notify/two-days.test.ts",
  "test/notify/view/slack-limits.test.ts",
  "test/cli/closed-pipe.test.ts",
  "test/cli/test.test.ts",
  "test/rules/spike-life.test.ts",
  "test/rule-tests/forecast.test.ts",
  "test/rule-tests/shipped.test.ts",
  "test/cli/demo-then-monitor.test.ts",
  "test/cli/detect.test.ts",
  "test/digest/clock-changes.test.ts",
  "test/ingest/away-rules.test.ts",
  "test/ingest/new-values.test.ts",
  "test/ingest/poison.test.ts",
  "test/polling/poll-together.test.ts",
  "test/ingest/server-quirks.test.ts",
  "test/notify/notifiers/email-codes.test.ts",
  "test/notify/notifiers/email.test.ts",
  "test/notify/notifiers/slack/standing.test.ts",
];

/** Every test file (paths from the root) in the one project that runs it. */
export function projectsOf(root: string): Readonly<Record<Project, readonly string[]>> {
  const files = testFiles(root);
  const usesDatabase = databaseUsers(root);
  const projectOf = (file: string): Project => {
    if (STORIES.includes(file)) return "stories";
    if (THOROUGH.some((one) => file === one || (one.endsWith("/") && file.startsWith(one))))
      return "thorough";
    return usesDatabase(file) ? "db" : "unit";
  };
  const of = (project: Project) => files.filter((file) => projectOf(file) === project);
  return { unit: of("unit"), db: of("db"), stories: of("stories"), thorough: of("thorough") };
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
  return [...STORIES, ...THOROUGH].filter((one) =>
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
