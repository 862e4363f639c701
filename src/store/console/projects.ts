import { sql } from "kysely";
import { ALL_PROJECTS } from "../../model/digest-edition.ts";

/** The projects that facts may belong to. Keys lead with the project, so a look-up by id names them all. */
export const projects = sql`(select distinct project_id from earshot.queries union select ${ALL_PROJECTS})`;
