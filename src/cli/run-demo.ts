import { openEngines } from "../app/engines.ts";
import { openPage } from "../app/open-console.ts";
import { openSetupView } from "../app/open-setup-view.ts";
import { aborted, leave, stopSignal, unlessStopped } from "../app/stop-signal.ts";
import type { Environment } from "../config/environment.ts";
import { DEMO_SPEED, type Demo, startDemo } from "../demo/demo.ts";
import { openDemoDatabase } from "../demo/demo-database.ts";
import { LOCAL_ACCOUNT } from "../demo/local-account.ts";
import { systemClock } from "../lib/clock.ts";
import { openTogether } from "../lib/closing.ts";
import { shippedFolder } from "../lib/folders.ts";
import type { Logger } from "../log.ts";
import { leaveLocalAddress } from "./local-address.ts";
import { print } from "./print.ts";
import { SETUP_SCHEMAS } from "./schemas.ts";
import type { StartOptions } from "./start-options.ts";

const DEFAULT_PORT = 8080;

/**
 * Runs everything on this machine, with a console, until Ctrl-C. When its console has written a configuration, it ends and
 * the monitor starts in its place.
 */
export async function runDemo(
  options: StartOptions,
  environment: Environment,
  env: NodeJS.ProcessEnv,
  log: Logger,
): Promise<void> {
  const configured = new AbortController();
  const signal = stopSignal(() => print("\nStopping. The next start goes on from here."));
  const opening = openTogether(async (closing) => {
    print("Earshot demo: starting the database …");
    const engines = await openEngines(environment, log);
    closing.add(engines.stop);
    signal.throwIfAborted();
    let url: string | null = null;
    const databaseUrl = await openDemoDatabase(engines.databaseUrl);
    print("Writing the past days, so that there is a baseline to compare with …");
    const demo = await startDemo({
      databaseUrl,
      queue:
        engines.queue.kind === "redis"
          ? { ...engines.queue, prefix: "earshot-demo" }
          : { ...engines.queue, url: databaseUrl },
      rules: shippedFolder("rules"),
      templates: shippedFolder("templates"),
      log,
      consoleUrl: () => url,
      signal,
    });
    closing.add(demo.stop);
    const { clock, local } = demo;
    const login = { username: LOCAL_ACCOUNT.username, password: local.secrets.password };
    closing.add(
      await leaveLocalAddress(
        environment.home,
        { url: local.apiUrl, login, clock, isDemo: true },
        systemClock,
      ),
    );
    if (options.page) {
      const page = await openPage({
        databaseUrl,
        clock: demo.clock,
        log,
        settings: { host: "127.0.0.1", port: options.port ?? DEFAULT_PORT, timezone: "UTC" },
        tryNextPort: options.port === undefined,
        hasLocalInbox: true,
        interaction: local.interaction,
        receivers: demo.receivers,
        rules: demo.earshot.rules,
        previews: demo.earshot.previews,
        why: demo.earshot.why,
        ruleFiles: demo.earshot.ruleFiles,
        setup: openSetupView({
          ...{ file: environment.configFile, isOpen: true, schemas: SETUP_SCHEMAS, clock: systemClock, log },
          next: "The demo ends, and Earshot starts with these files. In about ten seconds Feeds shows what it hears.",
          // The reader gets this answer first.
          onWritten: () => void setTimeout(() => configured.abort(), ANSWER_TAKES_MS),
          timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
        }),
        whatHappensNext: () => whatHappensNext(demo),
      });
      closing.add(page.close);
      url = page.url;
    }
    return { demo, engines, url, close: closing.close };
  });
  const running = await unlessStopped(opening, signal);
  if (running === null) return leave();
  const { demo, engines, url } = running;
  print(`
Earshot is running ${demo.isContinued ? "again, from where it stopped" : "on invented mentions"} (${engines.description}).

  ${url === null ? "The console is off (--no-page)." : `Console:   ${url}`}
  Messages:  ${url === null ? "a local Slack and mailbox receive them" : `${url}/inbox  (a local Slack and mailbox; nothing leaves this machine)`}

What happens now: people write about four invented brands; one minute here is one hour there. The monitor polls
a local Listening API, judges every mention by the rules in rules/ and notifies a local Slack and mailbox.
${whatHappensNext(demo)}

In another terminal:
  npm run -s earshot -- alerts     lists the open alerts
  npm run -s earshot -- api        shows what the API itself answers
To hear what the public web says about your brand${url === null ? "" : `, open ${url}/setup, or`}:
  npm run -s earshot -- listen acme "acme corp"
To monitor your own account, copy earshot.example.yaml to earshot.yaml and start again:
it uses another database, which has nothing of this demo.
Ctrl-C stops the demo; the next start continues from there.`);
  await Promise.race([aborted(signal), aborted(configured.signal)]);
  await running.close();
  if (signal.aborted || url === null) return leave();
  print(`\nThe console has written ${environment.configFile}. Starting Earshot with it …`);
  const { runMonitor } = await import("./run-monitor.ts");
  const here = { ...options, port: Number(new URL(url).port) };
  await runMonitor(environment.configFile, here, environment, env, log, (opened) =>
    print(`\nEarshot is running.\n\n  Console:   ${opened}\n  Feeds:     ${opened}/feeds\n`),
  );
}

const ANSWER_TAKES_MS = 1_000;

function whatHappensNext({ clock, crisis }: Pick<Demo, "clock" | "crisis">): string {
  const { brand, at } = crisis();
  const seconds = Math.round((at - clock.now()) / DEMO_SPEED / 1000);
  if (seconds <= 0)
    return `A crisis is going on at ${brand}: an alert opened soon after it started, and is resolved by itself.`;
  const when = seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `The next crisis starts in about ${when}, at ${brand}: an alert opens within seconds, and is resolved by itself.`;
}
