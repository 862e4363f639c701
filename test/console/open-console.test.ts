import { createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectFreePort, openPage } from "../../src/console/open-console.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { useStores } from "../use-stores.ts";

const { url } = await useStores();
const other = createServer();
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = other.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});
afterAll(() => void other.close());

const open = (tryNextPort: boolean) =>
  openPage({
    databaseUrl: url,
    clock: systemClock,
    log: createLog({ level: "silent" }),
    settings: { host: "127.0.0.1", port, timezone: "UTC", trustedProxies: [] },
    tryNextPort,
    hasLocalInbox: false,
    rules: [],
  });

test("a port in use is reported with what to do; the demo takes the next one", async () => {
  await expect(open(false)).rejects.toMatchObject({
    name: "UserError",
    message: `port ${port} of 127.0.0.1 is in use, perhaps by another Earshot`,
    details: [expect.stringContaining("--port")],
  });
  // The demo asks before it writes the past days.
  await expect(expectFreePort({ host: "127.0.0.1", port })).rejects.toMatchObject({ name: "UserError" });
  await expectFreePort({ host: "127.0.0.1", port: 0 });
  const page = await open(true);
  expect(page.url).not.toContain(`:${port}/`);
  await page.close();
});
