import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createShell } from "./shell.ts";

const server = createServer((request, response) => {
  const token = { access_token: "t", token_type: "bearer", expires_in: 1000, scope: "read" };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(request.url?.startsWith("/oauth/token") ? token : { error: "down\u001b[2J" }));
});
let run: ReturnType<typeof createShell>;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const credentials = { username: "ann", password: "secret", clientId: "earshot-api-client" };
  run = createShell({ baseUrl: `http://127.0.0.1:${port}`, credentials });
});
afterAll(() => server.close());

test("an error that comes with status 200 is a failure all the same", async () => {
  for (const json of [false, true]) {
    const { out, failure, exitCode } = await run("client", { json });
    expect({ out, exitCode }).toEqual({ out: "", exitCode: 1 });
    expect(failure).toMatch(/the API answered with an error: down/);
    expect(failure).not.toContain("\u001b");
  }
});
