import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { at, type Db } from "./database.ts";

/** Somebody in Slack who is a user of the console. */
export interface SlackPerson {
  readonly teamId: string;
  readonly userId: string;
  readonly nameKey: string;
  /** What Slack calls them. */
  readonly slackName: string;
  readonly linkedAt: Instant;
}

export function createSlackPeopleStore(db: Db) {
  return {
    /** One user for each id of Slack: a link of before is replaced. */
    async link({ teamId, userId, nameKey, slackName, linkedAt }: SlackPerson): Promise<void> {
      await sql`
        insert into earshot.slack_people (team_id, user_id, name_key, slack_name, linked_at)
        values (${teamId}, ${userId}, ${nameKey}, ${slackName}, ${at(linkedAt)})
        on conflict (team_id, user_id) do update set
          name_key = excluded.name_key, slack_name = excluded.slack_name, linked_at = excluded.linked_at
      `.execute(db);
    },

    /** The name of the user that this id is linked to. Null: none, or one who has ended. */
    async nameOf(teamId: string, userId: string): Promise<string | null> {
      const { rows } = await sql<{ name: string }>`
        select coalesce(u.name, p.name_key) as name from earshot.slack_people p
        left join earshot.users u using (name_key)
        where p.team_id = ${teamId} and p.user_id = ${userId} and u.ended_at is null
      `.execute(db);
      return rows[0]?.name ?? null;
    },

    async list(nameKey: string): Promise<SlackPerson[]> {
      const { rows } = await sql<SlackPerson>`
        select team_id as "teamId", user_id as "userId", name_key as "nameKey", slack_name as "slackName",
          linked_at as "linkedAt"
        from earshot.slack_people where name_key = ${nameKey} order by linked_at
      `.execute(db);
      return rows;
    },

    async unlink(nameKey: string, teamId: string, userId: string): Promise<void> {
      await sql`
        delete from earshot.slack_people
        where name_key = ${nameKey} and team_id = ${teamId} and user_id = ${userId}
      `.execute(db);
    },
  };
}
