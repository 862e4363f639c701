import type { FastifyInstance } from "fastify";
import { parametersOf } from "../http/unknown-parameters.ts";
import { openApiDocument } from "./document.ts";

/** GET /openapi (and /openapi.json): every call, for programs that make clients. Made once. */
export function openApiRoute(app: FastifyInstance): void {
  let made: ReturnType<typeof openApiDocument> | undefined;
  app.get("/openapi", async (request) => {
    parametersOf(request).finish();
    made ??= openApiDocument();
    return made;
  });
}
