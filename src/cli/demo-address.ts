import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Clock, createScaledClock } from "../lib/clock.ts";

const DemoAddress = z.object({
  url: z.url({ protocol: /^http$/, hostname: /^127\.0\.0\.1$/ }),
  /** The demo's time at a moment of the wall's, and its pace. */
  at: z.number(),
  wallAt: z.number(),
  speed: z.number().positive(),
});

/** Leaves a note where the demo's API listens, so that `earshot api` finds it. Gives the way to take it away. */
export async function leaveDemoAddress(
  home: string,
  demo: { readonly url: string; readonly clock: Clock; readonly wall: Clock },
): Promise<() => Promise<void>> {
  const note = { url: demo.url, at: demo.clock.now(), wallAt: demo.wall.now(), speed: demo.clock.speed };
  await mkdir(home, { recursive: true });
  await writeFile(fileIn(home), JSON.stringify(note));
  return () => rm(fileIn(home), { force: true });
}

/** Where the demo's API listens and what it takes for now, or null where no demo left a note. */
export async function readDemoAddress(
  home: string,
  wall: Clock,
): Promise<{ readonly url: string; readonly clock: Clock } | null> {
  try {
    const { url, at, wallAt, speed } = DemoAddress.parse(JSON.parse(await readFile(fileIn(home), "utf8")));
    return {
      url,
      clock: createScaledClock({ startAt: at + (wall.now() - wallAt) * speed, speed, base: wall }),
    };
  } catch {
    return null;
  }
}

function fileIn(home: string): string {
  return join(home, "demo-api.json");
}
