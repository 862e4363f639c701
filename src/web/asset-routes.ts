import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { shippedFolder } from "../lib/folders.ts";
import { PUBLIC } from "./auth/demand-login.ts";

/** A file that pages load. Its address changes with its content, so browsers may cache it for ever. */
interface AssetFile {
  /** `/assets/console.css?v=…` */
  readonly address: string;
  readonly path: string;
  readonly file: string;
}

const require = createRequire(import.meta.url);
const OWN = shippedFolder("src/web/assets");

export const STYLESHEET = asset("/assets/console.css", join(OWN, "console.css"));

/** In the order in which they must run. */
export const SCRIPTS: readonly AssetFile[] = [
  asset("/assets/htmx.js", require.resolve("htmx.org/dist/htmx.min.js")),
  asset("/assets/live.js", join(OWN, "live.js")),
  asset("/assets/sse.js", require.resolve("htmx-ext-sse/dist/sse.min.js")),
];

const ICON = asset("/assets/icon.svg", join(OWN, "icon.svg"));

export async function assetRoutes(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, { root: OWN, serve: false, cacheControl: false });
  for (const { path, address, file } of [STYLESHEET, ...SCRIPTS, ICON]) {
    app.get(path, { config: PUBLIC }, async (request, reply) => {
      const isVersioned = request.url === address;
      reply.header("cache-control", isVersioned ? "public, max-age=31536000, immutable" : "no-cache");
      return reply.sendFile(basename(file), dirname(file));
    });
  }
}

function asset(path: string, file: string): AssetFile {
  const version = createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 12);
  return { path, address: `${path}?v=${version}`, file };
}
