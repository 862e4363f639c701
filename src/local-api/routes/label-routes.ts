import type { FastifyInstance } from "fastify";
import type { LocalApiContext } from "../local-api-context.ts";
import { uncountedEnvelope } from "../records/list-envelope.ts";
import { queryGroupRecord } from "../records/query-group-record.ts";
import { listCategories, type StoredCategory } from "../store/categories.ts";
import { listQueryGroups } from "../store/query-groups.ts";
import { listTags } from "../store/tags.ts";
import { type InProject, listCall } from "./list-call.ts";

/**
 * GET /projects/:projectId/categories, and as extensions of the live service tags, ruletags, rulecategories and
 * querygroups. Rules that tag and categorise are not kept here: where the live service lists them, there are none.
 */
export function labelRoutes(app: FastifyInstance, context: LocalApiContext): void {
  const { db } = context;
  const project = "/projects/:projectId";

  app.get<InProject>(`${project}/categories`, async (request) => {
    const { project, paging } = await listCall(context, request);
    return uncountedEnvelope(await listCategories(db, project.id), paging);
  });

  app.get<InProject>(`${project}/rulecategories`, async (request) => {
    const { project, paging } = await listCall(context, request);
    return uncountedEnvelope((await listCategories(db, project.id)).map(ruleCategoryRecord), paging);
  });

  app.get<InProject>(`${project}/tags`, async (request) => {
    const { project, paging } = await listCall(context, request);
    return uncountedEnvelope(await listTags(db, project.id), paging);
  });

  app.get<InProject>(`${project}/ruletags`, async (request) => {
    const { project, paging } = await listCall(context, request);
    const tags = await listTags(db, project.id);
    return uncountedEnvelope(
      tags.map((tag) => ({ ...tag, rules: [] })),
      paging,
    );
  });

  app.get<InProject>(`${project}/querygroups`, async (request) => {
    const { project, paging } = await listCall(context, request);
    return uncountedEnvelope((await listQueryGroups(db, project.id)).map(queryGroupRecord), paging);
  });
}

function ruleCategoryRecord(category: StoredCategory) {
  return { ...category, children: category.children.map((child) => ({ ...child, rules: [] })) };
}
