/** What one reading of all files found, and for how long they have been as they are. */
export interface FilesRead {
  /** `Changed`: they were written while they were read. `Faulty`: as they are, nobody could run them. */
  readonly found: "Good" | "Faulty" | "Changed";
  /** Whether one of them is empty, as a file is between its opening and its first word. */
  readonly hasEmpty: boolean;
  /** How long this process has seen them like this. */
  readonly unchangedMs: number;
  /** The time since the newest change, by the clock of the file system, which may be wrong. Null if that is unknown. */
  readonly changedAgoMs: number | null;
  /** The time since the first reading. */
  readonly waitedMs: number;
}

/** `Busy`: they are written all the time. */
export type ReadOutcome = "Load" | "Refuse" | "ReadAgain" | "Busy";

/** As long as many files are written one after the other, and shorter than a process takes to start. */
const GOOD_REST_MS = 300;
/** As long as a slow writer takes to fill a file that it has emptied, or to bring the second of two files. */
const DOUBTFUL_REST_MS = 1_000;
/** Faults in files that nobody wrote for so long are believed at once, unless two clocks differ by as much. */
const OLD_MS = 10_000;
const LONGEST_WAIT_MS = 5_000;

/**
 * Whether to believe a reading. Files at rest are believed, whatever they contain. Others may be half of a change: an
 * emptied file, or the first of two. Good files load after a short rest, doubtful ones are refused after a longer one.
 */
export function judgeReading({
  found,
  hasEmpty,
  unchangedMs,
  changedAgoMs,
  waitedMs,
}: FilesRead): ReadOutcome {
  const isLate = waitedMs >= LONGEST_WAIT_MS;
  if (found === "Changed") return isLate ? "Busy" : "ReadAgain";
  const ageMs = changedAgoMs ?? 0;
  const isAtRest =
    found === "Good" && !hasEmpty
      ? Math.max(unchangedMs, ageMs) >= GOOD_REST_MS
      : unchangedMs >= DOUBTFUL_REST_MS || ageMs >= OLD_MS;
  if (!isAtRest && !isLate) return "ReadAgain";
  return found === "Good" ? "Load" : "Refuse";
}
