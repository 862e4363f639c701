import { connect } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Fixture, SEED, startFixture } from "../fixture.ts";

/** Requests as clients in other languages put them on the wire, byte by byte. Lenient, as the server is by default. */
let fixture: Fixture;
let port: number;
let known: Readonly<Record<string, string>>;
beforeAll(async () => {
  fixture = await startFixture(SEED, { strict: false });
  port = Number(new URL(await fixture.api.listen({ host: "127.0.0.1", port: 0 })).port);
  const [one, two] = [...fixture.account.queries.values()];
  const project = `/projects/${fixture.account.projectId}`;
  const range = "startDate=2026-03-01&endDate=2026-04-01";
  const login =
    "grant_type=api-password&client_id=earshot-api-client&username=ann%40acme.example&password=correct+horse";
  known = { token: fixture.token, project, one: String(one), two: String(two), range, login };
});
afterAll(() => fixture.stop());

interface Reply {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/** Sends the bytes and reads until the server ends. `{token}` and the like are filled in. */
function exchange(head: readonly string[], body = ""): Promise<Reply> {
  const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => known[name] ?? whole);
  const [payload, lines] = [fill(body), head.map(fill)];
  if (payload !== "") lines.push(`Content-Length: ${Buffer.byteLength(payload)}`);
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("error", reject);
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("end", () => {
      const all = Buffer.concat(chunks);
      const end = all.indexOf("\r\n\r\n");
      const top = all.subarray(0, end).toString("latin1");
      resolve({
        status: Number(/^HTTP\/1\.\d (\d+)/.exec(top)?.[1]),
        head: top,
        body: all.subarray(end + 4),
      });
    });
    socket.write(`${lines.join("\r\n")}\r\n\r\n${payload}`);
  });
}

const HOST = ["Host: 127.0.0.1", "Connection: close"];
const AUTH = [...HOST, "Authorization: Bearer {token}"];
const JSON_TYPE = "Content-Type: application/json";
const FORM_TYPE = "Content-Type: application/x-www-form-urlencoded";

type Case = readonly [what: string, status: number, head: readonly string[], body?: string];

// biome-ignore format: a table, one row on a line
const TOKENS: readonly Case[] = [
  ["a form with a charset", 200, ["POST /oauth/token HTTP/1.1", ...HOST, `${FORM_TYPE}; charset=UTF-8`], "{login}"],
  ["a form, a slash at the end of the path", 200, ["POST /oauth/token/ HTTP/1.1", ...HOST, FORM_TYPE], "{login}"],
  ["all in the address, no body", 200, ["POST /oauth/token?{login} HTTP/1.1", ...HOST, "Content-Length: 0"]],
  ["all in the address, JSON announced, none sent", 200, ["POST /oauth/token?{login} HTTP/1.1", ...HOST, JSON_TYPE, "Content-Length: 0"]],
  ["all in the address, a form announced, none sent", 200, ["POST /oauth/token?{login} HTTP/1.1", ...HOST, FORM_TYPE, "Content-Length: 0"]],
  ["with GET", 200, ["GET /oauth/token?{login} HTTP/1.1", ...HOST]],
];

// biome-ignore format: a table, one row on a line
const READS: readonly Case[] = [
  ["a content type and no body", 200, ["GET /me HTTP/1.1", ...AUTH, JSON_TYPE]],
  ["GET with a body", 200, ["GET /me HTTP/1.1", ...AUTH, JSON_TYPE], "{}"],
  ["GET with a body that is no JSON", 200, ["GET /me HTTP/1.1", ...AUTH, "Content-Type: text/plain"], "xx"],
  ["headers in capitals", 200, ["GET /me HTTP/1.1", "HOST: LOCALHOST", "CONNECTION: CLOSE", "AUTHORIZATION: BEARER {token}"]],
  ["the token in the address", 200, ["GET /me?access_token={token} HTTP/1.1", ...HOST]],
  ["an address with the host in it", 200, ["GET http://127.0.0.1/me HTTP/1.1", ...AUTH]],
  ["HTTP/1.0 without a host", 200, ["GET {project}/data/mentions?queryId={one}&{range} HTTP/1.0", "Authorization: bearer {token}"]],
  ["a slash at the end", 200, ["GET {project}/queries/ HTTP/1.1", ...AUTH]],
  ["double slashes", 200, ["GET /{project}//queries HTTP/1.1", ...AUTH]],
  [".json at the end", 200, ["GET {project}/queries.json HTTP/1.1", ...AUTH]],
  ["an XML reader", 200, ["GET /me HTTP/1.1", ...AUTH, "Accept: application/xml"]],
  ["a parameter given twice", 200, ["GET {project}/data/mentions?queryId={one}&queryId={two}&{range} HTTP/1.1", ...AUTH]],
  ["queryId[]", 200, ["GET {project}/data/mentions?queryId[]={one}&queryId[]={two}&{range} HTTP/1.1", ...AUTH]],
  ["queryId[0], queryId[1]", 200, ["GET {project}/data/mentions?queryId[0]={one}&queryId[1]={two}&{range} HTTP/1.1", ...AUTH]],
  ["queryId%5B0%5D", 200, ["GET {project}/data/mentions?queryId%5B0%5D={one}&{range} HTTP/1.1", ...AUTH]],
  ["stray ampersands", 200, ["GET {project}/data/mentions?&queryId={one}&&{range}& HTTP/1.1", ...AUTH]],
  ["True with a capital", 200, ["GET {project}/data/mentions?queryId={one}&{range}&twitterVerified=True HTTP/1.1", ...AUTH]],
  ["another scheme", 401, ["GET /me HTTP/1.1", ...HOST, "Authorization: Token {token}"]],
  ["another host", 421, ["GET /me HTTP/1.1", "Host: evil.example", "Connection: close", "Authorization: Bearer {token}"]],
  ["HTTP/1.1 without a host", 400, ["GET /me HTTP/1.1", "Connection: close", "Authorization: Bearer {token}"]],
];

// biome-ignore format: a table, one row on a line
const WRITES: readonly Case[] = [
  ["JSON with a charset", 201, ["POST {project}/tags HTTP/1.1", ...AUTH, "content-type: application/json;charset=utf-8"], '{"name":"a"}'],
  ["a body that waits for 100 Continue", 100, ["POST {project}/tags HTTP/1.1", ...AUTH, JSON_TYPE, "Expect: 100-continue"], '{"name":"b"}'],
  ["DELETE with a content type and no body", 404, ["DELETE {project}/tags/999 HTTP/1.1", ...AUTH, JSON_TYPE]],
  ["DELETE with a content type and a length of 0", 404, ["DELETE {project}/tags/999 HTTP/1.1", ...AUTH, JSON_TYPE, "Content-Length: 0"]],
  ["DELETE with the content type of a form", 404, ["DELETE {project}/tags/999 HTTP/1.1", ...AUTH, FORM_TYPE, "Content-Length: 0"]],
  ["DELETE with a body", 404, ["DELETE {project}/tags/999 HTTP/1.1", ...AUTH, JSON_TYPE], "{}"],
  ["POST without the body that it needs", 400, ["POST {project}/tags HTTP/1.1", ...AUTH, JSON_TYPE, "Content-Length: 0"]],
  ["JSON that is announced as a form", 415, ["POST {project}/tags HTTP/1.1", ...AUTH, FORM_TYPE], '{"name":"c"}'],
  ["a method that a path has not", 404, ["OPTIONS /me HTTP/1.1", ...AUTH]],
];

describe.each<readonly [string, readonly Case[]]>([
  ["a token call", TOKENS],
  ["a reading call", READS],
  ["a writing call", WRITES],
])("%s", (_, cases) => {
  test.each(cases.map((one) => [one[0], one] as const))("%s", async (_, [, status, head, body]) => {
    const reply = await exchange(head, body);
    expect({ status: reply.status, body: reply.body.toString().slice(0, 300) }).toMatchObject({ status });
    if (status === 200) expect(JSON.parse(reply.body.toString())).toBeTypeOf("object");
  });
});

test("a body in chunks is read whole", async () => {
  const body = '{"name":"chunked"}';
  const [first, rest] = [body.slice(0, 5), body.slice(5)];
  const chunks = [first, rest].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("");
  const head = ["POST {project}/tags HTTP/1.1", ...AUTH, JSON_TYPE, "Transfer-Encoding: chunked"];
  const reply = await exchange([...head, "", `${chunks}0`]);
  expect({ status: reply.status, body: reply.body.toString() }).toMatchObject({ status: 201 });
});

test("half a character of a name that was cut is one that can be stored, and whole ones stay", async () => {
  const make = async (json: string) => {
    const { status, body } = await exchange(["POST {project}/tags HTTP/1.1", ...AUTH, JSON_TYPE], json);
    return { status, body: JSON.parse(body.toString()) };
  };
  const whole = String.raw`{"name":"tea \ud83c\udf75 \\ud83c \u00e9"}`;
  expect((await make(whole)).body.name).toBe("tea \u{1f375} \\ud83c \u00e9");
  const cut = String.raw`{"name":"tea \ud83c"}`;
  const made = await make(cut);
  expect(made).toMatchObject({ status: 201, body: { name: "tea \ufffd" } });
  // The same request once more, as after an answer that was lost.
  expect(await make(cut)).toEqual(made);
});

test("gzip if it is accepted, besides unknown encodings", async () => {
  const reply = await exchange([
    "GET /filters HTTP/1.1",
    ...AUTH,
    "Accept-Encoding: br;q=1.0, gzip, deflate",
  ]);
  expect(reply.head).toMatch(/content-encoding: gzip/i);
  expect(JSON.parse(gunzipSync(reply.body).toString())).toBeTypeOf("object");
});

test("HEAD has the headers of GET and no body", async () => {
  const reply = await exchange(["HEAD {project}/data/mentions?queryId={one}&{range} HTTP/1.1", ...AUTH]);
  expect(reply.status).toBe(200);
  expect(reply.head).toMatch(/content-type: application\/json/i);
  expect(reply.body).toHaveLength(0);
});

test("one connection carries request after request, also when they come at once", async () => {
  const first = ["GET /me HTTP/1.1", "Host: 127.0.0.1", "Authorization: Bearer {token}", "", ""].join("\r\n");
  const reply = await exchange([`${first}GET /client HTTP/1.1`, ...AUTH]);
  const both = `${reply.head}${reply.body.toString()}`;
  expect(both.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  expect(both.indexOf('"username"')).toBeLessThan(both.lastIndexOf('"priceStructureName"'));
});
