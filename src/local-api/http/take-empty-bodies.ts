import { errorCodes, type FastifyInstance, type FastifyRequest } from "fastify";

/**
 * Many programs send the content type of their other calls with a DELETE and with a token call whose parameters stand
 * in the address, though neither has a body. Everywhere else a content type without a body is an error.
 */
export function takeEmptyBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser<string>("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "" && needsNoBody(request)) done(null, undefined);
    else parseJson(request, body, done);
  });
  app.addContentTypeParser<string>("*", { parseAs: "string" }, (request, body, done) => {
    if (body === "" && needsNoBody(request)) done(null, undefined);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
  });
}

function needsNoBody({ method, routeOptions }: FastifyRequest): boolean {
  return method === "DELETE" || routeOptions.url === "/oauth/token";
}
