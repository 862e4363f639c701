import { type Logger, pino } from "pino";

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
      redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: "[secret]" },
    },
    options.destination ?? pino.destination({ dest: 2, sync: false }),
  );
}
