import type { Migration } from "./migration.ts";

export const access: Migration = {
  name: "030-access",
  statements: `
  -- Fields of the client record that somebody has set; the record says what stands there otherwise.
  alter table local_api.client add column details jsonb not null default '{}';
  alter table local_api.api_user add column token_lifetime_seconds integer;
  -- A login name is the same in capitals: it is usually an address.
  create unique index api_user_by_name on local_api.api_user (lower(username));
  alter table local_api.token add column issued_at timestamptz not null default now();
  create index token_by_user on local_api.token (user_id, client_id);
  create index membership_by_client on local_api.membership (client_id, user_id);
  -- Logins that failed or are being checked. Subjects are hashes: people type passwords into the field for the name.
  create table local_api.login_attempt (
    id bigint generated always as identity primary key,
    subject bytea not null,
    attempted_at timestamptz not null default clock_timestamp()
  );
  create index login_attempt_by_subject on local_api.login_attempt (subject, attempted_at);
  create index login_attempt_by_time on local_api.login_attempt (attempted_at);
  -- Notes one call of a client and gives the number of its calls in the rolling period that ends with it. One call
  -- of a client at a time, and its calls never go back in time, whatever the clocks of the server processes say: so
  -- no two processes can both take the last call. Without a moment, the database's clock counts. Of the calls only
  -- the latest are kept, so that a caller who does not stop makes nobody count long; the number ends there too.
  create function local_api.record_call(of_client bigint, at timestamptz, period interval, kept integer)
    returns bigint
  language plpgsql volatile as $$
  declare
    moment timestamptz;
    used bigint;
  begin
    perform pg_advisory_xact_lock(4178, of_client::integer);
    moment := coalesce(at, clock_timestamp());
    -- A clock that was set back by more than the period: a demo or a replay has begun anew.
    delete from local_api.api_call where client_id = of_client and called_at > moment + period;
    select greatest(moment, max(called_at)) into moment from local_api.api_call where client_id = of_client;
    delete from local_api.api_call where client_id = of_client and called_at <= moment - period;
    insert into local_api.api_call (client_id, called_at) values (of_client, moment);
    select count(*) into used from local_api.api_call where client_id = of_client;
    if used > kept then
      delete from local_api.api_call where ctid in (
        select ctid from local_api.api_call where client_id = of_client
        order by called_at limit used - kept);
    end if;
    return least(used, kept);
  end $$;
`,
};
