import { readFile, stat } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { definitionOf, nameKey, type ReceiverConfig } from "#monitor";
import { isLoopback } from "../../lib/listening.ts";
import { readYaml } from "../../lib/read-yaml.ts";
import type { ConfigFile } from "./config-file.ts";

/** A risk in a configuration that works, and what to do about it. */
interface Concern {
  /** `receiver on-call`, `secrets` … */
  readonly what: string;
  readonly found: string;
  readonly advice: string;
}

/** Finds risks of a valid configuration. Makes no calls; checks only the modes of its files. */
export async function findConcerns(
  file: string,
  config: { readonly receivers: readonly ReceiverConfig[]; readonly web: PageConfig },
): Promise<readonly Concern[]> {
  const ofReceivers = config.receivers.flatMap(({ name, notifier }) =>
    (definitionOf(notifier).concerns?.(notifier) ?? []).map((note) => ({
      what: `receiver ${name}`,
      ...note,
    })),
  );
  return [
    ...ofReceivers,
    ...plainLogin(config.web),
    ...unknownAdmins(config.web),
    ...(await openSecrets(file, config.web)),
  ];
}

type PageConfig = ConfigFile["web"];

/** A console login that somebody on the network could read. */
function plainLogin({ host, login, users, publicUrl, tls }: PageConfig): readonly Concern[] {
  const isHttps = tls !== undefined || publicUrl?.startsWith("https:") === true;
  const reachedAt = publicUrl === undefined ? host : new URL(publicUrl).hostname;
  const isOpen = login === undefined && users.length === 0 && isLoopback(host);
  if (isOpen || isHttps || (isLoopback(host) && isLoopback(reachedAt))) return [];
  return [
    {
      what: "page",
      found: `logins cross the network in clear: ${publicUrl ?? `http://${host}`} is not https`,
      advice:
        "Set web.tls (cert, key), or put a proxy with https before the page, its address in web.publicUrl.",
    },
  ];
}

/** Names under `admins` that give nobody a role. */
function unknownAdmins({ admins, login, users }: PageConfig): readonly Concern[] {
  const others = admins.filter((name) => name !== login?.username);
  if (others.length === 0) return [];
  const isUser = (name: string) => users.some((user) => nameKey(user.name) === nameKey(name));
  return others.map((name) => ({
    what: "page",
    found: `web.admins names ${name}, and has no effect: it is for the username of web.login alone`,
    advice: isUser(name)
      ? `Give the user of web.users the role: role: admin.`
      : `Add a user with that role: earshot users add ${name} --role admin.`,
  }));
}

/** Files with secrets that every user of this machine may read. */
async function openSecrets(file: string, { tls }: PageConfig): Promise<readonly Concern[]> {
  const { content } = readYaml(file, await readFile(file, "utf8"));
  const { inClear, files: named } = secretsIn(content);
  const files = tls === undefined ? named : [...named, tls.key];
  const places = files.map((place) => (isAbsolute(place) ? place : join(dirname(file), place)));
  const concerns: Concern[] = [];
  for (const place of new Set(inClear ? [file, ...places] : places)) {
    if (!(await isOpenToAll(place))) continue;
    concerns.push({
      what: "secrets",
      found: `${place} holds a secret, and every user of this machine may read it`,
      advice: `Make it yours alone: chmod 600 ${place}, owned by the user that Earshot runs as.`,
    });
  }
  return concerns;
}

/**
 * Whether the text of a key, or all texts below it, are secrets: those that the schemas call `writeOnly`. `outer` is the
 * key around it. Certificates of issuers (`ca`), the file of `web.tls.key` and the address of a proxy are none.
 */
export function isSecretKey(key: string, outer: string): boolean {
  return SECRET_KEY.test(key) && !["tls.key", "proxy.url"].includes(`${outer}.${key}`);
}

const SECRET_KEY =
  /^(?:password|passwordHash|token|appToken|signingSecret|secret|clientSecret|secondFactorKey|privateKey|apiKey|key|headers|url)$/;
const SECRET_FILE = /^(?!ca_file$).+_file$/;

function secretsIn(
  value: unknown,
  outer = "",
  isSecret = false,
): { inClear: boolean; files: readonly string[] } {
  if (typeof value !== "object" || value === null) return { inClear: false, files: [] };
  const found = Object.entries(value).map(([key, one]) => {
    // An entry of a list stands under the key of the list.
    const name = Array.isArray(value) ? outer : key;
    const isNamed = isSecret || isSecretKey(key, outer);
    if (typeof one !== "string") return secretsIn(one, name, isNamed);
    return {
      inClear: isNamed && !one.includes("${"),
      files: SECRET_FILE.test(key) ? [one] : [],
    };
  });
  return { inClear: found.some(({ inClear }) => inClear), files: found.flatMap(({ files }) => files) };
}

/** Modes mean nothing on Windows. */
async function isOpenToAll(file: string): Promise<boolean> {
  if (process.platform === "win32") return false;
  const found = await stat(file).catch(() => null);
  return found !== null && (found.mode & 0o004) !== 0;
}
