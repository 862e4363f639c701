import { basename, dirname } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { AlertExplainer, ConsoleFacts } from "#monitor";
import { ASSETS, ASSETS_FOLDER } from "./common/assets.ts";

export async function assetRoutes(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, { root: ASSETS_FOLDER, serve: false, cacheControl: false });
  for (const { path, address, file } of ASSETS) {
    app.get(path, async (request, reply) => {
      const isVersioned = request.url === address;
      reply.header("cache-control", isVersioned ? "public, max-age=31536000, immutable" : "no-cache");
      return reply.sendFile(basename(file), dirname(file));
    });
  }
}

const Asked = z.object({ id: z.guid(), theme: z.enum(["light", "dark"]) });

/** Serves the chart of an alert as a file: the policy allows pictures from this host, but nothing inline. */
export function chartRoutes(app: FastifyInstance, facts: ConsoleFacts, explainer: AlertExplainer): void {
  app.get("/alerts/:id/chart-:theme.svg", async (request, reply) => {
    const parameters = Asked.safeParse(request.params);
    const alert = parameters.success ? await facts.alert(parameters.data.id) : null;
    const svg =
      alert === null || !parameters.success
        ? null
        : explainer.chart(
            alert,
            await facts.alertExplanation(alert.projectId, alert.id),
            parameters.data.theme,
          );
    if (svg === null) return reply.code(404).send({ error: "there is no chart of this alert" });
    return reply.type("image/svg+xml; charset=utf-8").send(svg);
  });
}
