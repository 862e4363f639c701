import type { Environment } from "#admin";
import { assemble, openDemo, openDemoConsole } from "#app";
import { type DemoConsoleOrder, whatHappensNext } from "#lab";
import { openTogether } from "../lib/closing.ts";
import type { Logger } from "../lib/log.ts";
import { aborted, leave, stopSignal, unlessStopped } from "../lib/stop-signal.ts";
import { print } from "./common/print.ts";
import { SETUP_SCHEMAS } from "./schemas.ts";
import type { StartOptions } from "./start-options.ts";

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
  print("Earshot demo: starting the database …");
  const opening = openTogether(async (closing) => {
    const host = { environment, env, log, signal };
    const open = openDemo(host, {
      ...{ port: options.port ?? null, schemas: SETUP_SCHEMAS, onConfigured },
      onHistory: () => print("Writing the past days, so that there is a baseline to compare with …"),
    });
    const shown = options.oneProcess ? "Here" : "Apart";
    const console = options.page ? shown : "None";
    return { ...(await assemble(host, { open, console, onConfigured }, closing)), close: closing.close };
  });
  const running = await unlessStopped(opening, signal);
  if (running === null) return leave();
  const { engines, url } = running;
  const { demo } = running.pipeline;
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
  const opening = openTogether(async (closing) => {
    onOpen(await openDemoConsole(order, { log, signal, onConfigured, schemas: SETUP_SCHEMAS }, closing));
    return closing;
  });
  const running = await unlessStopped(opening, signal);
  await aborted(signal);
  await running?.close();
  leave();
}
