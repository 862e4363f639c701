import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { AlertExplainer } from "./explainer.ts";
import type { ConsoleFacts } from "./facts.ts";

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
