import { z } from "zod";
import { capitalised } from "../../lib/text.ts";
import { CALLS, type CallRow, type Method } from "./calls.ts";
import { CONTRACTS, type Contract, RECORDS, type RecordName } from "./contracts.ts";
import { type CallInputs, fieldsRead, parametersRead, type Schema } from "./recorders.ts";

/**
 * The local API as an OpenAPI document: calls and their words from the table, parameters and bodies as the calls read
 * them, answers as `records.ts` has them.
 */
export async function openApiDocument(): Promise<Schema> {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const { row, method, path } of eachCall()) {
    const wire = path.replace("…", "/projects/{projectId}");
    paths[wire] = { ...paths[wire], [method.toLowerCase()]: await operation(row, method, path) };
  }
  const parameters = shareParameters(Object.values(paths).flatMap((methods) => Object.values(methods)));
  return {
    openapi: "3.1.0",
    info: {
      title: "Earshot's local Listening API",
      version: "1",
      description:
        "Every call that is served. docs/listening-api.md has the rules that hold for all of them.",
    },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      parameters,
      schemas: Object.fromEntries(Object.entries(RECORDS).map(([name, schema]) => [name, schemaOf(schema)])),
    },
  };
}

/** One line for each method and path of the table. */
export function eachCall(): readonly { row: CallRow; method: Method; path: string }[] {
  return CALLS.flatMap((row) =>
    row.paths.flatMap((path) => row.methods.map((method) => ({ row, method, path }))),
  );
}

async function operation(row: CallRow, method: Method, path: string): Promise<Schema> {
  const call = `${method} ${path}`;
  const contract = CONTRACTS[call];
  if (contract === undefined) throw new Error(`contracts.ts has nothing on ${call}`);
  const parameters = await parametersRead(async (reader) => {
    for (const read of contract.parameters ?? []) await read(reader);
  });
  const failure = (name: RecordName, description: string) => ({ description, content: json(ref(name)) });
  return {
    operationId: operationId(method, path),
    ...described(row),
    ...(path === "/oauth/token" ? { security: [] } : {}),
    parameters: [...inPath(path), ...inQuery(parameters)],
    ...(contract.body === undefined ? {} : { requestBody: await requestBody(contract) }),
    responses: {
      [contract.status ?? 200]: { description: "The answer.", content: json(answerOf(contract)) },
      400: failure(
        path === "/oauth/token" ? "OauthFailure" : "Failure",
        "Faults, each with the name of its parameter.",
      ),
      401: failure("OauthFailure", "No token, or none that is good."),
      ...(path.includes("{") || path.startsWith("…")
        ? { 404: failure("Failure", "Not there, or somebody else's.") }
        : {}),
      429: failure("Failure", "More calls than the client or the login may make; see retry-after."),
    },
  };
}

function described({ specified, clients }: CallRow): Schema {
  const words = [
    specified === "" ? "" : `As specified: ${specified}.`,
    clients === "" ? "" : `As clients use it: ${clients}.`,
  ].filter((part) => part !== "");
  // Links lead from the Markdown page, and nowhere from here.
  const description = words.join(" ").replaceAll(/\[([^\][]+)\]\([^()]+\)/g, "$1");
  return description === "" ? {} : { description };
}

/** `GET …/queries/{id}` → `getQueriesById`. */
function operationId(method: Method, path: string): string {
  const words = path
    .replace("…", "/project")
    .split("/")
    .filter((part) => part !== "")
    .map((part) => (part.startsWith("{") ? `by-${part.slice(1, -1)}` : part))
    .flatMap((part) => part.split(/[^A-Za-z0-9]+/));
  return method.toLowerCase() + words.map(capitalised).join("");
}

function inPath(path: string): readonly Schema[] {
  const names = [...path.replace("…", "/projects/{projectId}").matchAll(/\{(\w+)\}/g)].map(
    ([, name]) => name,
  );
  return names.map((name) => ({
    ...{ name, in: "path", required: true },
    schema: { type: ["projectId", "queryId", "id"].includes(name ?? "") ? "integer" : "string" },
  }));
}

/** Nearly all calls take the same filters: what several say alike is said once. */
function shareParameters(operations: readonly Schema[]): Readonly<Record<string, unknown>> {
  const shared: Record<string, unknown> = {};
  for (const { parameters } of operations as readonly { parameters: Schema[] }[])
    for (const [at, parameter] of parameters.entries()) {
      // A query is in the path of some calls, and a parameter of others.
      const key = `${parameter["name"]}${parameter["in"] === "path" ? "InPath" : ""}`;
      shared[key] ??= parameter;
      if (JSON.stringify(shared[key]) === JSON.stringify(parameter))
        parameters[at] = { $ref: `#/components/parameters/${key}` };
    }
  return shared;
}

/** A name may be repeated; a comma does not separate values. */
function inQuery({ fields, required }: CallInputs): readonly Schema[] {
  return [...fields].map(([name, { description, ...schema }]) => ({
    ...{ name, in: "query" },
    ...(description === undefined ? {} : { description }),
    ...(required.has(name) ? { required: true } : {}),
    schema,
    ...(schema["type"] === "array" ? { style: "form", explode: true } : {}),
  }));
}

async function requestBody({ body, inside = {}, isList }: Contract): Promise<Schema> {
  const whole = objectOf(await fieldsRead(async (reader) => body?.(reader)));
  const properties = { ...whole.properties };
  for (const [field, read] of Object.entries(inside))
    properties[field] = objectOf(await fieldsRead(async (reader) => read(reader)));
  const schema = { ...whole, properties };
  return { required: true, content: json(isList === true ? { type: "array", items: schema } : schema) };
}

function objectOf({ fields, required }: CallInputs) {
  return {
    type: "object",
    properties: Object.fromEntries(fields),
    ...(required.size === 0 ? {} : { required: [...required] }),
  };
}

function answerOf({ answer, beside = {} }: Contract): Schema {
  if (typeof answer === "string") return ref(answer);
  if ("arrayOf" in answer) return { type: "array", items: ref(answer.arrayOf) };
  const integers = ["resultsTotal", "resultsPage", "resultsPageSize"].map((name) => [
    name,
    { type: "integer" },
  ]);
  const others = Object.entries(beside).map(([name, of]) => [name, { type: "array", items: ref(of) }]);
  return {
    type: "object",
    properties: Object.fromEntries([
      ...integers,
      ["results", { type: "array", items: ref(answer.listOf) }],
      ...others,
    ]),
    required: ["resultsTotal", "resultsPage", "resultsPageSize", "results", ...Object.keys(beside)],
  };
}

function ref(name: RecordName): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

function json(schema: Schema): Schema {
  return { "application/json": { schema } };
}

/** Later versions may add fields, so a client must not refuse them. */
function schemaOf(schema: z.ZodType): Schema {
  const { $schema, ...plain } = z.toJSONSchema(schema, {
    io: "output",
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return plain;
}
