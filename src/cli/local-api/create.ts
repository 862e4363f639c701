import type { Command } from "commander";
import { addCategory } from "./create/category.ts";
import { addClient } from "./create/client.ts";
import { addList } from "./create/list.ts";
import { addProject } from "./create/project.ts";
import { addQueries } from "./create/queries.ts";
import { addQuery } from "./create/query.ts";
import { addQueryGroup } from "./create/query-group.ts";
import { addTag } from "./create/tag.ts";
import { addUser } from "./create/user.ts";

export function addLocalCreate(group: Command, env: NodeJS.ProcessEnv): void {
  const create = group
    .command("create")
    .description("Makes a client, login, project, query, query group, category, tag or list.")
    .addHelpText("after", HELP);
  addClient(create, env);
  addUser(create, env);
  addProject(create, env);
  addQuery(create, env);
  addQueries(create, env);
  addQueryGroup(create, env);
  addCategory(create, env);
  addTag(create, env);
  addList(create, env, "site", "domains, or domains with a path");
  addList(create, env, "author", "names of authors");
  addList(create, env, "location", "ids of locations");
}

const HELP = `
Examples:
  earshot local-api create client Acme --rate-limit 30/10
  earshot local-api create user ann@acme.example --client Acme --role Regular --password-file ann.txt
  earshot local-api create project Brands --client Acme --timezone Europe/Berlin
  earshot local-api create query "Acme complaints" --text "acme NEAR/5 (broken OR refund)" --project Brands
  earshot local-api create queries queries.json --project Brands
  earshot local-api create query-group "All of Acme" --query "Acme complaints" --query Acme
  earshot local-api create category Topics --child Price --child Safety
  earshot local-api create tag answered
  earshot local-api create site-list Press --entry news.example --entry blog.example/acme
  earshot local-api create author-list Staff --entry "Ann Example" --entry @bo
  earshot local-api create location-list Offices --entry de --entry fr

A client or login that exists is an error; everything else is made where it is missing, and completed where it is not.
--project may be left out where there is only one.`;
