import { readEnvironment } from "../../../src/admin/config/environment.ts";
import { runMonitor } from "../../../src/cli/run-monitor.ts";
import { createLog } from "../../../src/lib/log.ts";

/** The whole of Earshot in one process, as `npm start` runs it, with its console at a port of its own. */
const environment = readEnvironment(process.env);
const log = createLog({ level: environment.logLevel ?? "info" });
await runMonitor(
  environment.configFile,
  {
    page: true,
    oneProcess: true,
    port: Number(process.argv[2]),
    speed: "max",
    exitWhenDone: false,
    json: false,
  },
  environment,
  process.env,
  log,
  () => log.info("the worker is running"),
);
