import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import {
  type Fixture,
  mentionVersion,
  resourceId,
  SEED,
  startFixture,
  T0,
} from "../../listening-api/fixture.ts";
import { send } from "../../listening-api/send.ts";
import { API_SDK, BCR_API, type Step } from "./notebook.ts";

let fixture: Fixture;
const known = new Map<string, string | number>();
beforeAll(async () => {
  fixture = await startFixture(SEED, { strict: false });
  known.set("project", fixture.account.projectId);
  known.set("mention", resourceId(1));
  // What "ice cream cake" finds when it looks back.
  const queryId = fixture.account.queries.get("Alpha") ?? 0;
  const cake = { queryId, resourceId: resourceId(1), snippet: "an ice cream cake", pageType: "twitter" };
  await insertMentions(createDatabase(fixture.database.pool), [mentionVersion(cake, { added: T0 - HOUR })]);
});
afterAll(() => fixture.stop());

describe.each([
  ["bcr-api", BCR_API],
  ["api_sdk", API_SDK],
] as const)("the demo notebook of %s", (_, steps) => {
  test("runs cell by cell", async () => {
    const wrong: object[] = [];
    for (const step of steps) {
      const fault = await play(step);
      if (fault !== undefined) wrong.push({ cell: step.cell, call: `${step.method} ${step.path}`, fault });
    }
    expect(wrong).toEqual([]);
  });

  test("has no call that is not served", () => {
    expect(steps.filter(({ notServed }) => notServed !== undefined)).toEqual([]);
  });
});

/** As the SDKs send it: form and all; what they would stumble over is the fault. */
async function play(step: Step): Promise<string | undefined> {
  const path = String(fill(step.path)).replaceAll(" ", "%20");
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(step.parameters ?? {}))
    for (const one of [value].flat()) query.append(name, String(fill(String(one))));
  const url = `${path.startsWith("/") ? path : `/projects/${known.get("project")}/${path}`}?${query}`;
  const headers = { authorization: `Bearer ${fixture.token}` };
  const sent =
    step.body === undefined
      ? { headers }
      : {
          headers: { ...headers, "content-type": "application/json" },
          payload: JSON.stringify(fillAll(step.body)),
        };
  const { status, body } = await send(fixture.api, { method: step.method, url, ...sent });
  if (step.notServed !== undefined) return status === 404 ? undefined : `is served now: ${status}`;
  if (status < 200 || status >= 300) return `${status}: ${JSON.stringify(body).slice(0, 300)}`;
  // The SDKs parse every answer as JSON, that of a DELETE too, and stop at a key "errors".
  if (typeof body !== "object" || body === null) return `no JSON: ${body}`;
  if ("errors" in body && Array.isArray(body.errors) && body.errors.length > 0)
    return JSON.stringify(body.errors);
  if (step.learns !== undefined) learn(step.learns, body);
  const missing = (step.reads ?? []).filter((way) => at(body, way) === undefined);
  return missing.length === 0 ? undefined : `nothing at ${missing.join(", ")}`;
}

function learn(name: string, body: { id: number; children?: readonly { id: number; name: string }[] }): void {
  known.set(name, body.id);
  for (const child of body.children ?? []) known.set(`${name}.${child.name}`, child.id);
}

/** `{queries.Pets}` alone is a number; inside a text it is replaced in place. */
function fill(text: string): string | number {
  const alone = /^\{([^{}]+)\}$/.exec(text)?.[1];
  if (alone !== undefined) return idOf(alone);
  return text.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => String(idOf(name)));
}

function idOf(name: string): string | number {
  const id = known.get(name);
  if (id === undefined) throw new Error(`no cell before has made ${name}`);
  return id;
}

function fillAll(value: unknown): unknown {
  if (typeof value === "string") return fill(value);
  if (Array.isArray(value)) return value.map(fillAll);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fillAll(one)]));
}

function at(body: unknown, way: string): unknown {
  return way
    .split(".")
    .reduce<unknown>(
      (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
      body,
    );
}
