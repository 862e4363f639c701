import type { Migration } from "./migration.ts";

/** What waits for an analyser of texts, what analysers have answered, and how often they were asked. */
export const enrichment: Migration = {
  name: "012-enrichment",
  statements: `
  -- A mention that waits for an answer. Queued in the transaction that stores the mention, deleted in the one that stores
  -- the answer. No foreign key: queries are deleted with their mentions, and what is left here is found to be gone.
  create table local_api.enrichment_job (
    query_id bigint not null,
    resource_id text collate "C" not null,
    kind text not null check (kind in ('sentiment', 'relevance')),
    due_at timestamptz not null default now(),
    attempts integer not null default 0,
    -- Of the worker that has it; null again when the mention is queued anew, so that an old answer does not end it.
    lease uuid,
    primary key (query_id, resource_id, kind)
  );
  create index enrichment_job_by_due_at on local_api.enrichment_job (due_at);
  -- Answers by a hash of what was asked, which is no content. The reason of a relevance may quote the text: whoever
  -- deletes a mention deletes the answers to its text, too.
  create table local_api.enrichment_answer (
    text_hash bytea not null,
    -- The analyser and its instructions.
    asked bytea not null,
    answer jsonb not null,
    at timestamptz not null default now(),
    primary key (text_hash, asked)
  );
  create index enrichment_answer_by_at on local_api.enrichment_answer (at);
  -- Calls of each day (UTC), of all processes together.
  create table local_api.enrichment_calls (
    day date not null,
    analyser text not null,
    calls integer not null,
    primary key (day, analyser)
  );
  -- What a query means, in plain words: the airline, not the river.
  create table local_api.query_about (
    query_id bigint primary key references local_api.query on delete cascade,
    about text not null
  );
`,
};
