import { account } from "./parts/account.ts";
import { authentication } from "./parts/authentication.ts";
import { clients } from "./parts/clients.ts";
import { documented } from "./parts/documented.ts";
import { extensions } from "./parts/extensions.ts";
import { filters } from "./parts/filters.ts";
import { insights } from "./parts/insights.ts";
import { labels } from "./parts/labels.ts";
import { mentionCalls } from "./parts/mentions.ts";
import { paging } from "./parts/paging.ts";
import { projects } from "./parts/projects.ts";
import { queries } from "./parts/queries.ts";
import { rules } from "./parts/rules.ts";
import type { Part } from "./row.ts";

/** The specification, part by part, and then what programs that were written for the service send and read. */
export const PARTS: readonly Part[] = [
  authentication,
  account,
  projects,
  queries,
  labels,
  insights,
  mentionCalls,
  paging,
  filters,
  extensions,
  clients,
  documented,
  rules,
];
