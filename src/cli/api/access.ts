import { existsSync } from "node:fs";
import { loadSourceConfig, partsOf, readEnvironment, readLocalAddress } from "#admin";
import { LOCAL_ACCOUNT } from "#console";
import { type Credentials, FEEDS_PREFIX } from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { UserError } from "../../lib/errors.ts";
import { parseUrl } from "../../lib/parse-url.ts";
import { readPassword } from "../common/read-password.ts";

export interface AccessFlags {
  readonly baseUrl?: string;
  readonly username?: string;
  readonly passwordFile?: string;
  readonly clientId?: string;
  readonly platformClientId?: string;
  readonly config?: string;
  /** The Listening API of the feeds, where the configuration has an account, too. */
  readonly feeds?: boolean;
}

/** The API's address and the credentials to use. */
export interface Access {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly timeoutMs?: number;
  /** The API's clock: wall time, or a demo's. */
  readonly clock: Clock;
  /** Stands before ids of projects and queries in Earshot's tables, if this is the Listening API of its feeds. */
  readonly prefix?: string;
  /** Where these settings were found, for people. */
  readonly from: string;
}

const NO_PARTS = { source: false, listen: false };

/** The value of `from` for an API with generated mentions. */
export const LOCAL = "the local API on this machine";

/**
 * The account to use. All its parts come from one source, so that a password from a file is never sent to an address
 * given by a flag. Throws a UserError.
 */
export async function findAccess(flags: AccessFlags, env: NodeJS.ProcessEnv, clock: Clock): Promise<Access> {
  const access = await findPlace(flags, env, clock);
  const { platformClientId } = flags;
  if (platformClientId === undefined) return access;
  return { ...access, credentials: { ...access.credentials, platformClientId } };
}

/** The account of the configuration and the Listening API of its feeds, as far as they are there and in reach. */
export async function findAccesses(env: NodeJS.ProcessEnv, clock: Clock): Promise<readonly Access[]> {
  const found: Access[] = [];
  for (const flags of [{}, { feeds: true }]) {
    const access = await findAccess(flags, env, clock).catch((error: unknown) => {
      if (error instanceof UserError) return null;
      throw error;
    });
    if (access !== null && found.every(({ prefix }) => prefix !== access.prefix)) found.push(access);
  }
  return found;
}

async function findPlace(flags: AccessFlags, env: NodeJS.ProcessEnv, clock: Clock): Promise<Access> {
  const byHand = flags.baseUrl ?? flags.username ?? flags.passwordFile ?? flags.clientId;
  if (byHand !== undefined && flags.config !== undefined)
    throw new UserError("--config names the whole account; leave it out to use the other flags");
  if (byHand !== undefined && flags.feeds === true)
    throw new UserError("--feeds names the whole account; leave it out to use the other flags");
  if (byHand !== undefined || (flags.feeds !== true && flags.config === undefined && env["EARSHOT_API_URL"]))
    return { ...(await fromHand(flags, env)), clock };
  const { configFile, home } = readEnvironment(env);
  const file = flags.config ?? configFile;
  const isConfigured = flags.config !== undefined || existsSync(file);
  const has = isConfigured ? await partsOf(file) : NO_PARTS;
  if (flags.feeds === true && !has.listen)
    throw new UserError(`${file} has no part "listen", so there is no Listening API of feeds`);
  const isAccount = isConfigured && (has.source || !has.listen);
  if (isAccount && flags.feeds !== true) return { ...(await fromConfig(file, env)), clock };
  const local = await readLocalAddress(home, clock);
  if (local !== null) {
    const { url, username, password } = local;
    const credentials = { username, password, clientId: LOCAL_ACCOUNT.clientId };
    const prefix = has.listen && !local.isDemo ? { prefix: FEEDS_PREFIX } : {};
    return { baseUrl: url, credentials, clock: local.clock, from: LOCAL, ...prefix };
  }
  if (isConfigured)
    throw new UserError(
      `${has.source ? "the" : `${file} has no source, and the`} Listening API of its feeds is not running`,
      ["start it with `earshot start` in another terminal, and try again here"],
    );
  throw new UserError("there is no account to ask with", [
    "invented: start a demo with `earshot start`, or `earshot local-api start`, in another terminal and try again here",
    `with your own: copy earshot.example.yaml to ${configFile} and fill in its part "source"`,
    "or by flags: --base-url URL --username NAME --password-file FILE --client-id ID",
  ]);
}

async function fromHand(flags: AccessFlags, env: NodeJS.ProcessEnv): Promise<Omit<Access, "clock">> {
  const baseUrl = flags.baseUrl ?? env["EARSHOT_API_URL"] ?? "";
  const username = flags.username ?? env["EARSHOT_API_USERNAME"] ?? "";
  const password = await passwordOf(flags, env);
  const clientId = flags.clientId ?? env["EARSHOT_API_CLIENT_ID"] ?? defaultClientId(baseUrl);
  const missing = [
    [baseUrl, "--base-url or EARSHOT_API_URL: the address of the API"],
    [username, "--username or EARSHOT_API_USERNAME: the login name"],
    [password, "--password-file, EARSHOT_API_PASSWORD_FILE or EARSHOT_API_PASSWORD: the password"],
    [clientId, "--client-id or EARSHOT_API_CLIENT_ID: the API's public client identifier"],
  ].flatMap(([value, missing]) => (value === "" && missing !== undefined ? [missing] : []));
  if (missing.length > 0) throw new UserError("the account is not complete", missing);
  checkAddress(baseUrl);
  const platformClientId = env["EARSHOT_API_PLATFORM_CLIENT_ID"] || undefined;
  return {
    baseUrl,
    credentials: { username, password, clientId, platformClientId },
    from: "flags and environment",
  };
}

async function passwordOf(flags: AccessFlags, env: NodeJS.ProcessEnv): Promise<string> {
  const file = flags.passwordFile ?? env["EARSHOT_API_PASSWORD_FILE"];
  if (flags.passwordFile === undefined && env["EARSHOT_API_PASSWORD"]) return env["EARSHOT_API_PASSWORD"];
  return file ? readPassword(file) : "";
}

/** A local API accepts any identifier of the right form; the live service has its own. */
function defaultClientId(baseUrl: string): string {
  return /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?:[:/]|$)/.test(baseUrl)
    ? LOCAL_ACCOUNT.clientId
    : "";
}

function checkAddress(baseUrl: string): void {
  const url = parseUrl(baseUrl);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw new UserError("--base-url: expected an http or https address");
  if (url.username !== "" || url.password !== "")
    throw new UserError(
      "--base-url: expected an address without a login in it; use --username and --password-file",
    );
  if (url.search !== "" || url.hash !== "")
    throw new UserError("--base-url: expected an address without parameters behind it");
}

async function fromConfig(file: string, env: NodeJS.ProcessEnv): Promise<Omit<Access, "clock">> {
  const { baseUrl, username, password, clientId, platformClientId, timeout } = await loadSourceConfig(
    file,
    env,
  );
  return {
    baseUrl,
    credentials: { username, password, clientId, platformClientId },
    timeoutMs: timeout,
    from: file,
  };
}
