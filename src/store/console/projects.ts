import { sql } from "kysely";
import { ALL_PROJECTS } from "../../model/digest.ts";

/** All project ids. Keys lead with the project, so a look-up by id alone lists them all. */
export const projects = sql`(select distinct project_id from earshot.queries union select ${ALL_PROJECTS})`;
