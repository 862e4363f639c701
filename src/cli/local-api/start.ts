import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { leaveLocalAddress, loadConfig, openLocalTables, readEnvironment } from "#admin";
import { DEMO_CLIENT, LOCAL_ACCOUNT } from "#console";
import { createEnrichment } from "#feeds";
import {
  createLocalApi,
  createMeter,
  createOperations,
  createSampleLife,
  type DatabasePool,
  keepMentions,
  type LocalApi,
  type Meter,
  openSampleWorld,
  type SampleWorld,
  signingSecret,
} from "#listening-api";
import { systemClock } from "../../lib/clock.ts";
import { type Closing, openTogether } from "../../lib/closing.ts";
import { describeError, UserError, whyUnread } from "../../lib/errors.ts";
import { DAY, floorTo, type Instant, toIso, utcMinute } from "../../lib/instant.ts";
import { aborted, stopSignal } from "../../lib/stop-signal.ts";
import { commandLog } from "../common/command-log.ts";
import { print, printError, printJson } from "../common/print.ts";
import { toPort } from "../common/to-port.ts";

interface StartOptions {
  readonly host: string;
  readonly port: number;
  readonly allowHost?: readonly string[];
  readonly sample: boolean;
  readonly testMode: boolean;
  readonly strict: boolean;
  readonly json: boolean;
  readonly config?: string;
  readonly trustProxy?: readonly string[];
  readonly tlsKey?: string;
  readonly tlsCert?: string;
  readonly opsHost: string;
  readonly opsPort?: number;
}

export function addLocalStart(group: Command, env: NodeJS.ProcessEnv): void {
  group
    .command("start")
    .description(
      "Serves the Listening API on this machine until Ctrl-C, with a sample project on the first start.",
    )
    .option("--host <address>", "address to listen on; 0.0.0.0 for all", "127.0.0.1")
    .option("--port <number>", "port to listen on; 0 takes a free one", toPort, 8087)
    .option(
      "--allow-host <name...>",
      "names of a proxy on this machine that are answered, too; else the loopback address answers to its own only",
    )
    .option(
      "--tls-cert <file>",
      "certificates in PEM, the server's own first; with --tls-key it speaks HTTPS",
    )
    .option("--tls-key <file>", "the private key in PEM")
    .option(
      "--trust-proxy <address...>",
      "addresses or networks of proxies whose X-Forwarded-For says who called",
    )
    .option("--ops-port <number>", "port for /healthz, /readyz and /metrics; 0 takes a free one", toPort)
    .option("--ops-host <address>", "address of that port", "127.0.0.1")
    .option("--no-sample", "no sample project, and no new mentions in it")
    .option("--test-mode", "calls may ask for faults in the header x-earshot-fault", false)
    .option(
      "--strict",
      "refuse parameters that a call does not have (default: pass over and name them)",
      false,
    )
    .option(
      "--config <file>",
      "an earshot.yaml whose `enrich` says who judges mentions that wait for a sentiment or a relevance",
    )
    .option("--json", "print address, login and ids as one JSON line", false)
    .addHelpText("after", HELP)
    .action((options: StartOptions) => start(options, env));
}

const HELP = `
Examples:
  earshot local-api start                       everything in .earshot/, prints a curl line to paste
  earshot local-api start --port 0 --json       for a script: one line of JSON, then it serves
  DATABASE_URL=postgres://… earshot local-api start --port 8088
                                                one of several processes on the same tables
  earshot local-api start --config earshot.yaml also asks the endpoints in its \`enrich\` about waiting mentions

The sample (client "Sample") has three days of mentions behind it, which the first start writes in some seconds, and
goes on living while a server runs.
Tables that hold accounts of yours and no sample get none.`;

async function start(options: StartOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const signal = stopSignal(() => say(options, "\nStopping."));
  const log = commandLog(env);
  const running = await openTogether(async (closing) => {
    const environment = readEnvironment(env);
    const { home } = environment;
    const config = options.config === undefined ? null : await loadConfig(options.config, env);
    const tls = await readTls(options);
    const tables = await openLocalTables(environment, log, { ofDemo: false });
    closing.add(tables.close);
    const { pool, description } = tables;
    const sample = options.sample ? await openSampleWorld(pool, systemClock.now(), [DEMO_CLIENT]) : null;
    const life = sample === null ? null : createSampleLife(sample, systemClock, log);
    await life?.begin(signal, printHour);
    const meter = createMeter(pool);
    const api = createLocalApi({
      pool,
      meter,
      tls,
      trustedProxies: options.trustProxy ?? [],
      clock: systemClock,
      log,
      signingSecret: await signingSecret(pool),
      testMode: options.testMode,
      refusedLogins: [LOCAL_ACCOUNT.username],
      allowedHosts: options.allowHost ?? [],
      strict: options.strict,
    });
    closing.add(api.close);
    if (signal.aborted) return { url: "", operations: null, sample, description, close: closing.close };
    const url = await listen(api, options);
    const operations = await openOperations({ pool, meter, closing }, options);
    closing.add(keepMentions({ pool, clock: systemClock, log }));
    if (config !== null) {
      const enrichment = createEnrichment({ pool, clock: systemClock, log, config: config.enrich });
      closing.add(enrichment.stop);
      enrichment.start();
    }
    if (sample !== null && tls === undefined)
      closing.add(await leaveLocalAddress(home, toLocal(url, sample), systemClock));
    if (life !== null) closing.add(life.live());
    return { url, operations, sample, description, close: closing.close };
  });
  if (!signal.aborted) announce(options, running);
  await aborted(signal);
  await running.close();
}

/** Lets `earshot api` find it; this machine reaches it here, whatever address it listens on. */
function toLocal(url: string, { username, password }: SampleWorld) {
  return { url: `http://127.0.0.1:${new URL(url).port}`, login: { username, password }, clock: systemClock };
}

async function readTls({ tlsKey, tlsCert }: StartOptions) {
  if (tlsKey === undefined && tlsCert === undefined) return undefined;
  if (tlsKey === undefined || tlsCert === undefined)
    throw new UserError("HTTPS needs a key and a certificate.", ["give both, --tls-key and --tls-cert"]);
  const read = (file: string) =>
    readFile(file, "utf8").catch((error: unknown) => {
      throw new UserError(`${file} cannot be read.`, [whyUnread(error)]);
    });
  return { key: await read(tlsKey), cert: await read(tlsCert) };
}

/** Health and metrics, on a port of their own. Gives the address. */
async function openOperations(
  { pool, meter, closing }: { pool: DatabasePool; meter: Meter; closing: Closing },
  { opsHost: host, opsPort: port }: StartOptions,
): Promise<string | null> {
  if (port === undefined) return null;
  const operations = createOperations({ pool, clock: systemClock, meter });
  closing.add(operations.close);
  return operations.listen({ host, port }).catch((error: unknown) => {
    throw new UserError(`Health and metrics cannot listen on ${host}, port ${port}.`, [describeError(error)]);
  });
}

async function listen(api: LocalApi, { host, port }: Pick<StartOptions, "host" | "port">): Promise<string> {
  try {
    return await api.listen({ host, port });
  } catch (error) {
    throw new UserError(`The local API cannot listen on ${host}, port ${port}.`, [
      describeError(error),
      "give it another --port, or --port 0 for any that is free",
    ]);
  }
}

/** Shows a changing line on a terminal. */
function printHour(hour: Instant | null): void {
  if (!process.stderr.isTTY) return;
  const text = hour === null ? "" : `writing the days before: ${utcMinute(hour)}`;
  process.stderr.write(`\r\u001b[K${text}`);
}

function announce(
  options: StartOptions,
  running: {
    readonly url: string;
    readonly operations: string | null;
    readonly sample: SampleWorld | null;
    readonly description: string;
  },
): void {
  const { url, operations, sample, description } = running;
  const curl = sample === null ? null : curlLines(url, sample, systemClock.now());
  if (options.json) {
    const login = sample && {
      username: sample.username,
      password: sample.password,
      clientId: "earshot-api-client",
      projectId: sample.account.projectId,
      queries: Object.fromEntries(sample.queries),
    };
    printJson({
      url,
      ...(operations === null ? {} : { operations }),
      ...login,
      ...(curl === null ? {} : { curl }),
    });
    return;
  }
  print(`The Listening API answers at ${url} (${description}).`);
  if (operations !== null) print(`Health and metrics: ${operations}/healthz, /readyz, /metrics.`);
  if (sample === null || curl === null) {
    print(options.sample ? NO_SAMPLE : OWN_ACCOUNT);
  } else {
    print(`
Login      ${sample.username}   password ${sample.password}   client_id earshot-api-client
Project    ${sample.account.projectId}, "Sample brands"
Queries    ${[...sample.queries].map(([name, id]) => `${id} ${name}`).join(", ")}

A token:
  ${curl.token}

Mentions with it, newest first:
  ${curl.mentions}`);
  }
  print("\nearshot local-api --help shows how to add your own accounts and mentions. Ctrl-C stops.");
}

const OWN_ACCOUNT = `
An account of your own:
  earshot local-api apply --help                 shows a file of clients, logins, projects and queries
  earshot local-api apply account.yaml
  earshot local-api import mentions.csv --project Brands`;

const NO_SAMPLE = `
There is no sample in these tables.${OWN_ACCOUNT}`;

function say({ json }: StartOptions, text: string): void {
  if (!json) printError(text);
}

/** Two lines for a shell: the first stores a token in a variable, the second fetches mentions with it. */
function curlLines(
  url: string,
  sample: Pick<SampleWorld, "username" | "password" | "account" | "queries">,
  now: Instant,
): { token: string; mentions: string } {
  const login = new URLSearchParams({
    username: sample.username,
    grant_type: "api-password",
    client_id: "earshot-api-client",
  });
  const days = new URLSearchParams({
    queryId: String([...sample.queries.values()][0] ?? ""),
    startDate: toIso(floorTo(now, DAY) - 7 * DAY).slice(0, 10),
    endDate: toIso(floorTo(now, DAY) + DAY).slice(0, 10),
    pageSize: "3",
  });
  const readToken = `sed -E 's/.*"access_token":"([^"]+)".*/\\1/'`;
  return {
    token: `TOKEN=$(curl -s '${url}/oauth/token?${login}' --data-urlencode 'password=${sample.password}' | ${readToken}); echo $TOKEN`,
    mentions: `curl -s -H "Authorization: bearer $TOKEN" '${url}/projects/${sample.account.projectId}/data/mentions?${days}'`,
  };
}
