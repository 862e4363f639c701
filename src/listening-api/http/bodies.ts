import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { createGzip, gzip as gzipCallback } from "node:zlib";
import { errorCodes, type FastifyInstance, type FastifyRequest } from "fastify";
import { packedBody } from "../parameters/api-error.ts";

const gzip = promisify(gzipCallback);

/** Below this, the header costs about what the compression saves. */
const WORTH_COMPRESSING_BYTES = 1_024;

/** gzip for callers that accept it. Level 1: pages are large and the network between is usually a cable. */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook("onSend", async (request, reply, payload) => {
    const isStream = payload instanceof Readable;
    if (!isStream && (typeof payload !== "string" || payload.length < WORTH_COMPRESSING_BYTES))
      return payload;
    reply.header("vary", "accept-encoding");
    if (!acceptsGzip(request.headers["accept-encoding"])) return payload;
    if (isStream) {
      reply.header("content-encoding", "gzip");
      // An error at one end breaks the other; the server handles it there.
      return pipeline(payload, createGzip({ level: 1 }), () => {});
    }
    const compressed = await gzip(payload, { level: 1 });
    reply.header("content-encoding", "gzip").header("content-length", compressed.byteLength);
    return compressed;
  });
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  const offers = String(header ?? "").split(",");
  return offers.some((offer) => /^\s*gzip\s*(;\s*q=(1|0\.0*[1-9]).*)?$/i.test(offer));
}

/**
 * Many programs send the content type of their other calls with a DELETE and with a token call whose parameters stand
 * in the address, though neither has a body. Everywhere else a content type without a body is an error.
 */
export function takeEmptyBodies(app: FastifyInstance): void {
  app.addHook("preParsing", async ({ method, headers }) => {
    const encoding = headers["content-encoding"];
    const hasBody = method !== "GET" && method !== "HEAD";
    if (hasBody && encoding !== undefined && !/^\s*identity\s*$/i.test(encoding)) throw packedBody(encoding);
  });
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser<string>("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "" && needsNoBody(request)) done(null, undefined);
    else parseJson(request, withWholeCharacters(body), done);
  });
  app.addContentTypeParser<string>("*", { parseAs: "string" }, (request, body, done) => {
    if (body === "" && needsNoBody(request)) done(null, undefined);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
  });
}

/**
 * Programs cut names in the middle of a character. PostgreSQL keeps no half of one: so nothing of the same name would be
 * found to be there already.
 */
function withWholeCharacters(json: string): string {
  return json.replaceAll(ESCAPES, (whole, half) => (half === undefined ? whole : "\ufffd"));
}

/** Each escape of JSON as a whole; halves of characters that stand alone are named. */
const ESCAPES =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|[\s\S])/g;

declare module "fastify" {
  interface FastifyContextConfig {
    /** A call that says everything in its address. */
    needsNoBody?: true;
  }
}

function needsNoBody({ method, routeOptions }: FastifyRequest): boolean {
  return (
    method === "DELETE" || routeOptions.url === "/oauth/token" || routeOptions.config.needsNoBody === true
  );
}
