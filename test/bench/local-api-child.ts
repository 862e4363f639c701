import { systemClock } from "../../src/lib/clock.ts";
import { createLocalApi } from "../../src/listening-api/create-local-api.ts";
import { openPool } from "../../src/monitor/store/database.ts";

/** A server of the local API over the database that it is given, as `earshot local-api start` runs it. Sends its address. */
const pool = openPool({ url: process.argv[2] ?? "", connections: 12, onError: console.error });
const log = { info() {}, warn() {}, error: console.error };
const api = createLocalApi({ pool, clock: systemClock, log, signingSecret: "bench" });
// A bench that breaks leaves nothing behind.
process.once("disconnect", () => process.exit());
process.send?.(await api.listen({ host: "127.0.0.1", port: 0 }));
