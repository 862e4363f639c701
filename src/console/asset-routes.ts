import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { AlertExplainer, ConsoleFacts } from "#monitor";
import { shippedFolder } from "../lib/folders.ts";

/** A file that pages load. Its address changes with its content, so browsers may cache it for ever. */
interface AssetFile {
  /** `/assets/console.css?v=…` */
  readonly address: string;
  readonly path: string;
  readonly file: string;
}

const require = createRequire(import.meta.url);
const OWN = shippedFolder("src/console/assets");

export const STYLESHEET = asset("/assets/console.css", join(OWN, "console.css"));

export const HTMX = asset("/assets/htmx.js", require.resolve("htmx.org/dist/htmx.min.js"));

/** In the order in which they must run. */
export const SCRIPTS: readonly AssetFile[] = [
  HTMX,
  asset("/assets/live.js", join(OWN, "live.js")),
  asset("/assets/sse.js", require.resolve("htmx-ext-sse/dist/sse.min.js")),
];

/** Only for pages with an editor of rules. */
export const EDITOR_SCRIPT = asset("/assets/rule-editor.js", join(OWN, "rule-editor.js"));

/** Only for pages with charts that a reader points at. */
export const CHART_SCRIPT = asset("/assets/chart.js", join(OWN, "chart.js"));

/** Only for lists of mentions that a reader works on. */
export const WORKFLOW_SCRIPT = asset("/assets/workflow.js", join(OWN, "workflow.js"));

const ICON = asset("/assets/icon.svg", join(OWN, "icon.svg"));

export async function assetRoutes(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, { root: OWN, serve: false, cacheControl: false });
  for (const { path, address, file } of [
    STYLESHEET,
    ...SCRIPTS,
    EDITOR_SCRIPT,
    CHART_SCRIPT,
    WORKFLOW_SCRIPT,
    ICON,
  ]) {
    app.get(path, async (request, reply) => {
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

const Asked = z.object({ id: z.guid(), theme: z.enum(["light", "dark"]) });

/** Serves the chart of an alert as a file: the policy allows pictures from this host, but nothing inline. */
export function chartRoutes(app: FastifyInstance, facts: ConsoleFacts, explainer: AlertExplainer): void {
  app.get("/alerts/:id/chart-:theme.svg", async (request, reply) => {
    const asked = Asked.safeParse(request.params);
    const alert = asked.success ? await facts.alert(asked.data.id) : null;
    const svg =
      alert === null || !asked.success
        ? null
        : explainer.chart(alert, await facts.alertExplanation(alert.projectId, alert.id), asked.data.theme);
    if (svg === null) return reply.code(404).send({ error: "there is no chart of this alert" });
    return reply.type("image/svg+xml; charset=utf-8").send(svg);
  });
}
