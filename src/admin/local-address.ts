import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Source } from "#monitor";
import { type Clock, createScaledClock, systemClock } from "../lib/clock.ts";
import { makeDataFolder } from "../lib/folders.ts";

const Note = z.object({
  url: z.url({ protocol: /^http$/, hostname: /^127\.0\.0\.1$/ }),
  /** Protects invented mentions, or those of public feeds. */
  login: z.object({ username: z.string(), password: z.string() }),
  /** The API's time at a moment of wall time, and its speed. */
  at: z.number(),
  wallAt: z.number(),
  speed: z.number().positive(),
  /** Written by the demo, whose tables are in their own database. */
  demo: z.boolean().default(false),
});

/** A local API with generated mentions, as `earshot api` calls it. */
interface LocalAddress {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** The API's clock. */
  readonly clock: Clock;
  readonly isDemo: boolean;
}

/**
 * Writes a note with the address of a local API with generated mentions, so that `earshot api` finds it. Returns a
 * function that removes the note. If there are several, the last one counts.
 */
export async function leaveLocalAddress(
  home: string,
  address: {
    readonly url: string;
    readonly login: z.output<typeof Note>["login"];
    readonly clock: Clock;
    readonly isDemo?: boolean;
  },
  wall: Clock,
): Promise<() => Promise<void>> {
  const { url, login, clock, isDemo: demo = false } = address;
  const note = JSON.stringify({ url, login, at: clock.now(), wallAt: wall.now(), speed: clock.speed, demo });
  const file = fileIn(home);
  await makeDataFolder(home);
  // A new file, for an existing one would keep its mode and its owner. Several processes may start at once.
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, note, { mode: 0o600, flag: "wx" });
  await rename(draft, file);
  return async () => {
    const current = await readFile(file, "utf8").catch(() => "");
    if (current === note) await rm(file, { force: true });
  };
}

/** Reads the note of a local API, or null. The process may have been killed since. */
export async function readLocalAddress(home: string, wall: Clock): Promise<LocalAddress | null> {
  try {
    const note = Note.parse(JSON.parse(await readFile(fileIn(home), "utf8")));
    const startAt = note.at + (wall.now() - note.wallAt) * note.speed;
    const { username, password } = note.login;
    return {
      url: note.url,
      username,
      password,
      isDemo: note.demo,
      clock: createScaledClock({ startAt, speed: note.speed, base: wall }),
    };
  } catch {
    return null;
  }
}

/** The sources that can be called from here: our own Listening API only while it runs. */
export async function sourcesInReach(sources: readonly Source[], home: string): Promise<readonly Source[]> {
  const local = await readLocalAddress(home, systemClock);
  return sources.flatMap((source) => {
    if (source.name === "account") return [source];
    if (local === null || local.isDemo) return [];
    return [{ ...source, baseUrl: local.url, username: local.username, password: local.password }];
  });
}

/** The clock of what runs on this data folder: the demo's if it left a note, else the system's. */
export async function timeHere(home: string): Promise<Clock> {
  return (await readLocalAddress(home, systemClock))?.clock ?? systemClock;
}

function fileIn(home: string): string {
  return join(home, "local-api.json");
}
