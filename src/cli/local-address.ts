import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Clock, createScaledClock, systemClock } from "../lib/clock.ts";
import { makeDataFolder } from "../lib/make-data-folder.ts";

const Note = z.object({
  url: z.url({ protocol: /^http$/, hostname: /^127\.0\.0\.1$/ }),
  /** Guards invented mentions only. */
  login: z.object({ username: z.string(), password: z.string() }),
  /** The API's time at a moment of the wall's, and its pace. */
  at: z.number(),
  wallAt: z.number(),
  speed: z.number().positive(),
  /** The demo left it: its tables are in a database of its own. */
  demo: z.boolean().default(false),
});

/** A local API with generated mentions, as `earshot api` asks it. */
export interface LocalAddress {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** What it takes for now. */
  readonly clock: Clock;
  readonly isDemo: boolean;
}

/**
 * Leaves a note where a local API with generated mentions listens, so that `earshot api` finds it. Gives the way to
 * take it away. Of several, the last one counts.
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
  // A file that is there keeps its mode, and somebody may have written it before us: so it is a new one.
  await rm(file, { force: true });
  await writeFile(file, note, { mode: 0o600, flag: "wx" });
  return async () => {
    const standing = await readFile(file, "utf8").catch(() => "");
    if (standing === note) await rm(file, { force: true });
  };
}

/** The local API that left a note, or null. It may have been killed since. */
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

/** The time of what runs on this data folder: the demo's own where one left a note, else the system's. */
export async function timeHere(home: string): Promise<Clock> {
  return (await readLocalAddress(home, systemClock))?.clock ?? systemClock;
}

function fileIn(home: string): string {
  return join(home, "local-api.json");
}
