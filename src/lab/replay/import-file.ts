import { basename } from "node:path";
import { LOCAL_ACCOUNT } from "#console";
import { type ImportOptions, importMentions, seedAccount } from "#listening-api";
import { BUCKET_MS } from "#monitor";
import { UserError } from "../../lib/errors.ts";
import { floorTo, type Instant } from "../../lib/instant.ts";
import { capitalised } from "../../lib/text.ts";

/** The replayed time: from the bucket of the first mention to the last. */
export interface ReplayPlan {
  readonly from: Instant;
  readonly to: Instant;
  readonly skipped: readonly { readonly line: number; readonly reason: string }[];
  readonly ended: boolean;
}

/** Creates the account if needed, sets this password, and returns the project. */
export async function openReplayAccount(
  pool: ImportOptions["pool"],
  file: string,
  password: string,
): Promise<number> {
  const { projectId } = await seedAccount(pool, {
    client: { name: "Replay" },
    user: { username: LOCAL_ACCOUNT.username, password },
    project: { name: projectName(file) },
    at: 0,
  });
  return projectId;
}

/** Imports the mentions of a file into the local API, which shows each from its time on. */
export async function importFile(
  pool: ImportOptions["pool"],
  options: {
    readonly file: string;
    readonly projectId: number;
    readonly onLines: (lines: number) => void;
    readonly signal: AbortSignal;
  },
): Promise<ReplayPlan> {
  const imported = await importMentions({
    pool,
    path: options.file,
    projectId: options.projectId,
    onProgress: ({ linesRead }) => options.onLines(linesRead),
    signal: options.signal,
  });
  if (imported.from === null || imported.to === null) {
    const first = imported.skipped[0];
    throw new UserError(
      `${options.file} holds no mention`,
      first === undefined ? [] : [`line ${first.line}: ${first.reason}`],
    );
  }
  return {
    from: floorTo(imported.from, BUCKET_MS),
    to: imported.to,
    skipped: imported.skipped,
    ended: false,
  };
}

/** `airline-tweets.jsonl` → `Airline tweets`. */
function projectName(file: string): string {
  const words = basename(file)
    .replace(/\.[^.]*$/, "")
    .replaceAll(/[-_]+/g, " ")
    .trim();
  return capitalised(words) || "Replay";
}
