import { openSetupView } from "#admin";
import { type ConsoleProcess, openEngines, openPage, type Page, startConsoleProcess } from "#app";
import { LOCAL_ACCOUNT } from "#console";
import { DEMO_SPEED, type Demo, type DemoConsoleOrder, openShownDemo, type ShownDemo, startDemo } from "#lab";
import { type Environment, openDemoDatabase } from "#monitor";
import { systemClock } from "../lib/clock.ts";
import { openTogether } from "../lib/closing.ts";
import { shippedFolder } from "../lib/folders.ts";
import type { Logger } from "../lib/log.ts";
import { aborted, leave, stopSignal, unlessStopped } from "../lib/stop-signal.ts";
import { leaveLocalAddress } from "./local-address.ts";
import { print } from "./print.ts";
import { SETUP_SCHEMAS } from "./schemas.ts";
import type { StartOptions } from "./start-options.ts";

const DEFAULT_PORT = 8080;

/**
 * Runs everything on this machine, with a console in a process of its own, until Ctrl-C. When its console has written a configuration, it ends and
 * the monitor starts in its place.
 */
export async function runDemo(
  options: StartOptions,
  environment: Environment,
  env: NodeJS.ProcessEnv,
  log: Logger,
): Promise<void> {
  const configured = new AbortController();
  const onConfigured = () => configured.abort();
  const signal = stopSignal(() => print("\nStopping. The next start goes on from here."));
  const opening = openTogether(async (closing) => {
    print("Earshot demo: starting the database …");
    const apart: ConsoleProcess | null =
      options.page && !options.oneProcess ? startConsoleProcess({ log, signal, onConfigured }) : null;
    if (apart !== null) closing.add(apart.close);
    const engines = await openEngines(environment, log);
    closing.add(engines.stop);
    signal.throwIfAborted();
    let url: string | null = null;
    const consoleUrl = () => apart?.url() ?? url;
    const databaseUrl = await openDemoDatabase(engines.databaseUrl);
    print("Writing the past days, so that there is a baseline to compare with …");
    const queue =
      engines.queue.kind === "redis"
        ? { ...engines.queue, prefix: "earshot-demo" }
        : { ...engines.queue, url: databaseUrl };
    const demo = await startDemo({
      ...{ databaseUrl, queue, log, consoleUrl, signal },
      rules: shippedFolder("rules"),
      templates: shippedFolder("templates"),
    });
    closing.add(demo.stop);
    if (apart !== null) closing.add(apart.close);
    const { clock, local } = demo;
    const { apiUrl, secrets } = local;
    const login = { username: LOCAL_ACCOUNT.username, password: secrets.password };
    closing.add(
      await leaveLocalAddress(environment.home, { url: apiUrl, login, clock, isDemo: true }, systemClock),
    );
    const { port = DEFAULT_PORT } = options;
    const wanted = { port, tryNextPort: options.port === undefined, configFile: environment.configFile };
    if (apart !== null)
      url = await apart.open({
        ...{
          kind: "demo",
          level: log.level,
          databaseUrl,
          queue,
          apiUrl,
          password: secrets.password,
          ...wanted,
        },
        clock: { at: clock.now(), wallAt: systemClock.now(), speed: clock.speed },
      });
    else if (options.page) {
      const shown = { ...demo, interaction: local.interaction };
      const page = await openDemoPage(shown, {
        ...{ databaseUrl, log, onConfigured, besidePipeline: true },
        ...wanted,
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
To see what the public web says about your brand${url === null ? "" : `, open ${url}/setup, or`}:
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

/** The console of a demo that another process runs, until that one wants it no more. */
export async function runDemoConsole(
  order: DemoConsoleOrder & { readonly port: number | null },
  log: Logger,
  onOpen: (url: string) => void,
  onConfigured: () => void,
): Promise<void> {
  const signal = stopSignal();
  let url: string | null = null;
  const opening = openTogether(async (closing) => {
    const shown = await openShownDemo(order, { log, signal, consoleUrl: () => url }, closing);
    const { databaseUrl, tryNextPort, configFile } = order;
    const port = order.port ?? DEFAULT_PORT;
    const wanted = { databaseUrl, port, tryNextPort, configFile, besidePipeline: false };
    const page = await openDemoPage(shown, { ...wanted, log, onConfigured });
    closing.add(page.close);
    url = page.url;
    onOpen(url);
    return closing;
  });
  const running = await unlessStopped(opening, signal);
  await aborted(signal);
  await running?.close();
  leave();
}

function openDemoPage(
  shown: ShownDemo,
  parts: {
    readonly databaseUrl: string;
    readonly port: number;
    readonly tryNextPort: boolean;
    readonly configFile: string;
    readonly besidePipeline: boolean;
    readonly log: Logger;
    /** Called when its page has written a configuration. */
    readonly onConfigured: () => void;
  },
): Promise<Page> {
  const { clock, earshot, receivers, interaction } = shown;
  const { databaseUrl, port, tryNextPort, configFile, besidePipeline, log, onConfigured } = parts;
  return openPage({
    ...{ databaseUrl, clock, log, tryNextPort, interaction, receivers, besidePipeline },
    settings: { host: "127.0.0.1", port, timezone: "UTC" },
    hasLocalInbox: true,
    rules: earshot.rules,
    previews: earshot.previews,
    why: earshot.why,
    ruleFiles: earshot.ruleFiles,
    setup: openSetupView({
      ...{ file: configFile, configured: null, schemas: SETUP_SCHEMAS, clock: systemClock, log },
      next: "The demo ends, and Earshot starts with these files. In about ten seconds Feeds shows what they bring.",
      // The reader gets this answer first.
      onWritten: () => void setTimeout(onConfigured, ANSWER_TAKES_MS),
      timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    }),
    whatHappensNext: () => whatHappensNext(shown),
  });
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
