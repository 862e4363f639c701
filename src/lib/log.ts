import { type Logger, pino } from "pino";
import { UserError } from "./errors.ts";
import { escapeActing } from "./text.ts";

export type { Logger };

/** Keys that never reach a log line, wherever they stand. Mention text is not logged at all; ids are. */
const SECRET_KEYS = ["password", "token", "access_token", "authorization", "secret", "webhookUrl", "pass"];

const LEVELS: readonly string[] = [...Object.keys(pino.levels.values), "silent"];

/**
 * JSON lines on standard error: standard output belongs to what a command answers. Throws a UserError for a level that
 * there is not.
 */
export function createLog(options: { level: string; destination?: NodeJS.WritableStream }): Logger {
  if (!LEVELS.includes(options.level)) {
    throw new UserError(`LOG_LEVEL is one of ${LEVELS.join(", ")}, not "${options.level}"`);
  }
  return pino(
    {
      level: options.level,
      base: {},
      timestamp: pino.stdTimeFunctions.isoTime,
      // What vendors and sources answer may hold what strangers wrote; a log is read in terminals.
      hooks: { streamWrite: escapeActing },
      redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: "[secret]" },
    },
    options.destination ?? pino.destination({ dest: 2, sync: false }),
  );
}
