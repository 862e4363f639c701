import type { FastifyInstance } from "fastify";
import { invalidRequest } from "../http/api-error.ts";
import { parametersOf } from "../http/unknown-parameters.ts";
import type { RawParameters } from "../parameters/parameter-reader.ts";
import { lint, type QueryPlace } from "../query-language/compile.ts";
import type { Problem } from "../query-language/problem.ts";

const LARGEST_BODY = 2 * 1024 * 1024;

/**
 * `query-validation`, for queries, and `query-validation/searchwithin`, for searches inside results: POST with
 * `{"booleanQuery", "languages"}`, or GET with `booleanQuery` (or `query`) and `languages` (or `language`). An
 * extension of the live service, which answers with `errors` and `issues`. Their content is ours: `{rule, message,
 * start, end}` in UTF-16 units, and for issues `severity` (`warning` or `note`). A text with errors is still answered
 * with 200: it was validated.
 */
export function queryValidationRoutes(app: FastifyInstance): void {
  for (const [path, place] of PATHS) {
    app.get<{ Querystring: RawParameters }>(path, (request, reply) => {
      const parameters = parametersOf(request);
      // The names of an older client, and of today's.
      const text = parameters.text("booleanQuery") ?? parameters.text("query") ?? "";
      for (const name of ["language", "languages"]) parameters.texts(name);
      if (!("query" in request.query) && !("booleanQuery" in request.query))
        parameters.fault("booleanQuery: expected the Boolean text to validate.");
      parameters.finish();
      return reply.send(verdict(text, place));
    });
    app.post<{ Querystring: RawParameters; Body: unknown }>(
      path,
      { bodyLimit: LARGEST_BODY },
      (request, reply) => {
        parametersOf(request).finish();
        return reply.send(verdict(bodyText(request.body), place));
      },
    );
  }
}

const PATHS: readonly (readonly [string, QueryPlace])[] = [
  ["/query-validation", "query"],
  ["/query-validation/searchwithin", "search"],
];

function bodyText(body: unknown): string {
  const given = typeof body === "object" && body !== null ? body : {};
  const text: unknown =
    "booleanQuery" in given ? given.booleanQuery : "query" in given ? given.query : undefined;
  if (typeof text === "string") return text;
  throw invalidRequest("booleanQuery: expected the Boolean text to validate, as a string in a JSON object.");
}

function verdict(text: string, place: QueryPlace) {
  const problems = lint(text, place);
  return {
    errors: problems.filter(({ severity }) => severity === "error").map(withoutSeverity),
    issues: problems.filter(({ severity }) => severity !== "error"),
  };
}

function withoutSeverity({ rule, message, start, end }: Problem) {
  return { rule, message, start, end };
}
