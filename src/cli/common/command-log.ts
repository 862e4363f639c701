import { readEnvironment } from "#admin";
import { createLog, type Logger } from "../../lib/log.ts";

/** The log of a short command: warnings and errors only, unless `LOG_LEVEL` asks for more. */
export function commandLog(env: NodeJS.ProcessEnv): Logger {
  return createLog({ level: readEnvironment(env).logLevel ?? "warn" });
}
