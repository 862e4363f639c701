import type { FastifyInstance } from "fastify";
import { ASSET_FILES } from "./assets/asset-files.ts";

/** The few files of the pages, from memory. Their addresses carry their version. */
export function assetRoutes(app: FastifyInstance): void {
  for (const file of ASSET_FILES) {
    app.get(file.path, async (request, reply) => {
      const versioned = request.url === file.address;
      return reply
        .header("cache-control", versioned ? "public, max-age=31536000, immutable" : "no-cache")
        .type(file.type)
        .send(file.content);
    });
  }
}
