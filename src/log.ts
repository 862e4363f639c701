import { type Logger, pino } from "pino";
import { escapeActing } from "./lib/escape-acting.ts";

export type { Logger };

/** Keys that never reach a log line, wherever they stand. Mention text is not logged at all; ids are. */
const SECRET_KEYS = ["password", "token", "access_token", "authorization", "secret", "webhookUrl", "pass"];

/** JSON lines on standard error: standard output belongs to what a command answers. */
export function createLog(options: { level: string; destination?: NodeJS.WritableStream }): Logger {
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
