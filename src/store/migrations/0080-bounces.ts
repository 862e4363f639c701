import { type Kysely, sql } from "kysely";

/** Reports of mails that came back name the mail, and the watch asks again and again which receivers they came from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index notifications_by_message on earshot.notifications ((vendor_ref->>'messageId'))
      where vendor_ref ? 'messageId'
  `.execute(db);
  await sql`
    create index deliveries_bounced on earshot.deliveries (notification_id) where outcome = 'bounced'
  `.execute(db);
}
