import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DAY } from "../../src/lib/instant.ts";
import { eachCall, openApiDocument } from "../../src/listening-api/openapi/document.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { callTable } from "./call-table.ts";
import { type Fixture, logIn, SEED, startFixture, T0 } from "./fixture.ts";
import { seededMentions } from "./seeded-mentions.ts";
import { send } from "./send.ts";

const SECRET = new URLSearchParams({
  ...{ grant_type: "api-password", client_id: "earshot-api-client" },
  ...{ username: SEED.user.username, password: SEED.user.password },
}).toString();

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: object } } };
  readonly responses: Readonly<
    Record<string, { readonly content: { readonly "application/json": { readonly schema: object } } }>
  >;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

let fixture: Fixture;
let document: Document;
/** What stands for `{id}`, by the path that makes such a thing. */
const made = new Map<string, number>();
let resourceId = "";

beforeAll(async () => {
  document = (await openApiDocument()) as unknown as Document;
  fixture = await startFixture();
  const { account, database, clock } = fixture;
  const queryIds = [...account.queries.values()];
  const seeding = { queryIds, categories: account.categories, tagIds: [], from: T0 - 5 * DAY, days: 5 };
  const versions = seededMentions({ ...seeding, count: 60 });
  await insertMentions(createDatabase(database.pool), versions);
  clock.set(T0 + DAY);
  resourceId = versions.find(({ record }) => record.queryId === queryIds[0])?.record.resourceId ?? "";
  await ask("POST", "…/tags", { name: "urgent" });
  for (const [path, body] of Object.entries(BODIES)) {
    const answer = await ask("POST", path, body);
    made.set(path, Number(answer.body.id));
  }
});
afterAll(() => fixture.stop());

/** A body of each call that makes something. */
const BODIES: Readonly<Record<string, object>> = {
  "…/queries": { name: "New", booleanQuery: "water" },
  "…/queries/{queryId}/date-range": { name: "Launch", startDate: "2026-03-01", endDate: "2026-03-08" },
  "…/querygroups": { name: "Group", queries: [2003001] },
  "…/tags": { name: "Tag" },
  "…/ruletags": { name: "Rule tag", rules: [{ filter: { search: "fire" } }] },
  "…/categories": { name: "Category", children: ["One"] },
  "…/rulecategories": {
    name: "Rule category",
    children: [{ name: "One", rules: [{ filter: { search: "fire" } }] }],
  },
  "…/rules": {
    name: "Fires",
    filter: { search: "fire", sentiment: "negative" },
    ruleAction: { addTag: ["urgent"], priority: "high", starred: true },
  },
  "…/signals/groups": {
    ...{ name: "Office", queryIds: [2003001] },
    subscribers: [{ emailAddress: "ann@acme.example", notificationThreshold: 2 }],
  },
  "…/group/author": { name: "Staff", authors: ["ann"] },
  "…/group/site": { name: "Press", domains: ["news.example"] },
  "…/group/location": { name: "Home", locations: [{ id: "gb" }] },
};

/** Whose id stands in the path of a call that does something with it. */
const OWNERS: Readonly<Record<string, string>> = {
  "…/rules/{id}/backfill": "…/rules",
  "…/bulkactions/rule/{id}": "…/rules",
  "…/bulkactions/ruletags/{id}": "…/ruletags",
  "…/bulkactions/rulecategories/{id}": "…/rulecategories",
  "…/rulebackfill/rulecategories/{id}": "…/rulecategories",
};

const OTHER_BODIES: Readonly<Record<string, () => object>> = {
  "…/queries/{id}/backfill": () => ({ minDate: "2026-01-01" }),
  "…/queries/{id}/mentions/{resourceId}": () => ({ checked: true }),
  "…/queries/explain": () => ({ text: "water" }),
  "…/data/mentions": () => [{ queryId: firstQuery(), resourceId, starred: true }],
  "/query-validation": () => ({ booleanQuery: "a AND" }),
  "/query-validation/searchwithin": () => ({ booleanQuery: "a" }),
};

/** What a call must be asked beside queries and dates. */
const ASKED: Readonly<Record<string, string>> = {
  "…/queries/explain": "text=water",
  "/query-validation": "booleanQuery=a",
  "/query-validation/searchwithin": "query=a%20AND",
  "…/data/{aggregate}/{dimension1}/{dimension2}": "dim2Limit=5",
};

function firstQuery(): number {
  return [...fixture.account.queries.values()][0] ?? 0;
}

function ask(method: string, path: string, body?: object, query = "", dimension = "days") {
  const owner = OWNERS[path] ?? Object.keys(BODIES).find((one) => path === `${one}/{id}`);
  const id = owner === undefined ? firstQuery() : made.get(owner);
  const url = path
    .replace("…", `/projects/${fixture.account.projectId}`)
    .replace("{id}", String(id))
    .replace("{queryId}", String(firstQuery()))
    .replace("{resourceId}", resourceId)
    .replace("{aggregate}/{dimension1}/{dimension2}", `volume/${dimension}/authors`);
  const range = `queryId=${firstQuery()}&startDate=2026-02-20&endDate=2026-03-10`;
  const asked = [
    /\/(?:data|demographics)\//.test(path) && method === "GET" ? range : "",
    method === "GET" ? (ASKED[path] ?? "") : "",
    path.endsWith("mentionfind") ? `resourceId=${resourceId}` : "",
    path === "/oauth/token" ? SECRET : "",
    query,
  ].filter((part) => part !== "");
  return send(fixture.api, {
    ...{ method, url: asked.length === 0 ? url : `${url}?${asked.join("&")}` },
    headers: {
      authorization: `bearer ${fixture.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
}

const operationOf = (method: string, path: string): Operation => {
  const found = document.paths[path.replace("…", "/projects/{projectId}")]?.[method.toLowerCase()];
  if (found === undefined) throw new Error(`${method} ${path}`);
  return found;
};

/** Another program's reading of the schemas, in which no field is left that they do not name. */
const ajv = new Ajv2020({ allErrors: true, strict: false });

function validator(schema: object) {
  if (ajv.getSchema("document") === undefined) ajv.addSchema(closed(document) as object, "document");
  return ajv.compile(JSON.parse(JSON.stringify(closed(schema)).replaceAll('"#/', '"document#/')));
}

function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== "object" || node === null) return node;
  const inside = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  return "properties" in node && !("additionalProperties" in node)
    ? { ...inside, additionalProperties: false }
    : inside;
}

/** None is kept, so one of them is never found; logging out would end all others. */
const NEVER = ["…/alerts/{id}"];
const ORDER = ["GET", "POST", "PUT", "PATCH", "DELETE"];

describe("the OpenAPI document", () => {
  test("has the calls of docs/listening-api.md: npm run calls writes its table", async () => {
    const page = join(import.meta.dirname, "../../docs/listening-api.md");
    expect(await readFile(page, "utf8")).toContain(`\n${callTable()}`);
  });

  test("is served, with a token", async () => {
    const answer = await fixture.get("/openapi.json");
    expect([answer.status, answer.body]).toEqual([200, document]);
  });

  test("has a name for each call, and every schema that it points to", () => {
    const ids = eachCall().map(({ method, path }) => operationOf(method, path).operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const named = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name,
    );
    expect(named.filter((name) => document.components.schemas[name ?? ""] === undefined)).toEqual([]);
  });

  test("says of every call how it answers", async () => {
    const calls = eachCall()
      .filter(({ path }) => path !== "/logout" && !NEVER.includes(path))
      .toSorted((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method));
    const wrong: unknown[] = [];
    for (const { method, path } of calls) {
      const body = method === "GET" || method === "DELETE" ? undefined : bodyOf(path);
      const { status, body: answer } = await ask(method, path, body);
      const response = operationOf(method, path).responses[status];
      if (response === undefined || status >= 300) wrong.push([method, path, status, answer]);
      else {
        const fits = validator(response.content["application/json"].schema);
        if (!fits(answer)) wrong.push([method, path, fits.errors?.slice(0, 3)]);
      }
    }
    expect(wrong).toEqual([]);
    expect(calls.length).toBeGreaterThan(140);
  });

  test("says of every refusal how it looks", async () => {
    for (const path of NEVER) {
      const { status, body } = await ask("GET", path);
      const fits = validator(
        operationOf("GET", path).responses[status]?.content["application/json"].schema ?? {},
      );
      expect([status, fits(body)]).toEqual([404, true]);
    }
    const { body } = await logIn(fixture.api, { username: "nobody", password: "x" });
    const schema = operationOf("POST", "/oauth/token").responses[401]?.content["application/json"].schema;
    expect(validator(schema ?? {})(body)).toBe(true);
  });

  test("names no parameter that its call does not have, and none of a call's own is refused", async () => {
    const refused: unknown[] = [];
    for (const { method, path } of eachCall()) {
      if (method !== "GET" || path === "/logout") continue;
      const names = operationOf(method, path)
        .parameters.flatMap((one) =>
          "$ref" in one ? (document.components.parameters[one.$ref.split("/").at(-1) ?? ""] ?? []) : one,
        )
        .filter((one) => one.in === "query");
      const all = names.map(({ name }) => `${name}=`).join("&");
      // Of the dimensions only this one has a parameter of its own.
      const { body } = await ask("GET", path, undefined, all, "dateRanges");
      const messages = [body.errors ?? []].flat().map(({ message }: { message: string }) => message);
      refused.push(...messages.filter((text: string) => text.includes("is not a parameter")));
    }
    expect(refused).toEqual([]);
  });
});

function bodyOf(path: string): object {
  const own = BODIES[path] ?? BODIES[path.replace("/{id}", "")];
  if (own !== undefined) return path.endsWith("{id}") ? { ...own, name: `Changed ${path}` } : own;
  return OTHER_BODIES[path]?.() ?? {};
}
