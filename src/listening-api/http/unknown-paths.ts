import type { FastifyInstance, FastifyRequest } from "fastify";
import { notFound } from "../parameters/api-error.ts";

/**
 * Answers unknown paths with 404, as clients of the live service expect; if the path has other methods, the answer
 * names them. Call it before the routes are added. It is inside what `authenticate` guards, so that nobody learns
 * without a token which paths exist.
 */
export function answerUnknownPaths(app: FastifyInstance): void {
  const routes: { readonly method: string; readonly pattern: readonly string[] }[] = [];
  app.addHook("onRoute", ({ method, url }) => {
    if (url === ANYWHERE) return;
    for (const one of [method].flat()) routes.push({ method: one, pattern: segmentsOf(url) });
  });
  const refuse = (request: FastifyRequest): never => {
    const path = request.url.split("?")[0] ?? "";
    const fitting = routes.filter(({ pattern }) => fits(segmentsOf(path), pattern));
    const methods = [...new Set(fitting.map(({ method }) => method))].sort();
    throw notFound(`There is nothing at ${request.method} ${path}.`, methods);
  };
  app.all(ANYWHERE, refuse);
  // Methods that the framework leaves out of its list.
  app.setNotFoundHandler(refuse);
}

const ANYWHERE = "/*";

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

function fits(path: readonly string[], pattern: readonly string[]): boolean {
  return (
    path.length === pattern.length && pattern.every((segment, at) => fitsSegment(segment, path[at] ?? ""))
  );
}

/** A parameter of a path that takes numbers alone, so that `/queries/summary` is another path than `/queries/1`. */
export const NUMERIC_ID = ":id(^\\d{1,15}$)";
const NUMBER = /^\d{1,15}$/;

function fitsSegment(pattern: string, segment: string): boolean {
  if (pattern === NUMERIC_ID) return NUMBER.test(segment);
  return pattern.startsWith(":") || pattern === segment;
}
