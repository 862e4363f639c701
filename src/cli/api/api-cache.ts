import { randomUUID, scryptSync } from "node:crypto";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { createMemoryTokenStore, type TokenStore } from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { makeDataFolder } from "../../lib/folders.ts";
import { HOUR } from "../../lib/instant.ts";
import type { Access } from "./access.ts";
import type { Named } from "./find-named.ts";

const NAMES_LAST_MS = HOUR;
const MOST_ACCOUNTS = 8;
const MOST_BYTES = 16 * 1024 * 1024;

const NameList = z.object({ at: z.number(), list: z.array(z.object({ id: z.string(), name: z.string() })) });
const Account = z.object({
  account: z.string(),
  token: z.object({ token: z.string(), expiresAt: z.number() }).nullable(),
  names: z.record(z.string(), NameList),
});
type Account = z.output<typeof Account>;
const Content = z.array(Account);

/** What `earshot api` keeps from one command to the next, so that a command costs one call. */
export interface ApiCache {
  readonly tokens: TokenStore;
  /** A list of names that is at most an hour old, with its age; null where none is kept. */
  names(key: string): Promise<{ readonly list: readonly Named[]; readonly ageMs: number } | null>;
  keepNames(key: string, list: readonly Named[]): Promise<void>;
  /** Drops all lists of the account. True if this command had used one of them. */
  forgetNames(): Promise<boolean>;
}

/**
 * The cache in `api-cache.json` of the data folder, for its owner only. It never fails: a file that cannot be read or
 * written, or that is damaged, means one more call. Any number of commands may use it at once.
 */
export function openApiCache(
  home: string,
  { baseUrl, credentials }: Pick<Access, "baseUrl" | "credentials">,
  clock: Clock,
): ApiCache {
  const file = join(home, "api-cache.json");
  const { username, password, clientId, platformClientId = null } = credentials;
  // With the password in it, a wrong one finds no token and is refused as before. A slow hash, because the file is kept.
  const salt = JSON.stringify([baseUrl, username, clientId, platformClientId]);
  const account = scryptSync(password, salt, 32).toString("hex");
  const memory = createMemoryTokenStore();
  let hasUsedNames = false;

  const ownIn = (content: readonly Account[]): Account =>
    content.find((one) => one.account === account) ?? { account, token: null, names: {} };
  const readOwn = async (): Promise<Account> => ownIn(await readContent(file));

  /** Reads again before it writes, so that commands at the same time seldom undo each other's work. */
  async function change(update: (own: Account) => Account): Promise<void> {
    const before = await readContent(file);
    const others = before.filter((one) => one.account !== account);
    const content = [update(ownIn(before)), ...others].slice(0, MOST_ACCOUNTS);
    const draft = `${file}.${randomUUID()}`;
    try {
      await makeDataFolder(home);
      await writeFile(draft, JSON.stringify(content), { mode: 0o600, flag: "wx" });
      await rename(draft, file);
    } catch {
      await rm(draft, { force: true }).catch(() => {});
    }
  }

  return {
    tokens: {
      // What this process got comes first: the file may not be writable.
      get: async () => (await memory.get()) ?? (await readOwn()).token,
      put: async (token) => {
        await memory.put(token);
        const { token: text, expiresAt } = token;
        await change((own) => ({ ...own, token: { token: text, expiresAt } }));
      },
      remove: async (token) => {
        await memory.remove(token);
        await change((own) => (own.token?.token === token ? { ...own, token: null } : own));
      },
      exclusively: (work) => memory.exclusively(work),
    },
    async names(key) {
      const kept = (await readOwn()).names[key];
      const ageMs = clock.now() - (kept?.at ?? 0);
      if (kept === undefined || ageMs < 0 || ageMs >= NAMES_LAST_MS) return null;
      hasUsedNames = true;
      return { list: kept.list, ageMs };
    },
    keepNames: (key, list) =>
      change((own) => ({
        ...own,
        names: {
          ...Object.fromEntries(
            Object.entries(own.names).filter(([, { at }]) => clock.now() - at < NAMES_LAST_MS),
          ),
          [key]: { at: clock.now(), list: list.map(({ id, name }) => ({ id, name })) },
        },
      })),
    async forgetNames() {
      if (Object.keys((await readOwn()).names).length > 0) await change((own) => ({ ...own, names: {} }));
      const had = hasUsedNames;
      hasUsedNames = false;
      return had;
    },
  };
}

/** Empty for a file that others could have written or read, and for anything that is no cache. */
async function readContent(file: string): Promise<readonly Account[]> {
  try {
    const handle = await open(file, "r");
    try {
      const { mode, uid, size } = await handle.stat();
      const isOurs = process.getuid === undefined || ((mode & 0o077) === 0 && uid === process.getuid());
      return isOurs && size <= MOST_BYTES ? Content.parse(JSON.parse(await handle.readFile("utf8"))) : [];
    } finally {
      await handle.close();
    }
  } catch {
    return [];
  }
}
