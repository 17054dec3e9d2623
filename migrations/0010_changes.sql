-- The change log: one entry for each committed change, written by the statement that makes the change. `draw` is
-- drawn while the changed row is locked, so entries of one resource are in its order; `id` is given after the
-- commit, by whoever reads first, so that no reader passes an entry that commits late.
create table changes (
  tenant_id uuid not null references workspaces (id),
  draw bigint generated always as identity,
  id bigint,
  at timestamptz(3) not null default now(),
  resource text not null check (resource in ('company', 'note', 'contact', 'point', 'link', 'task', 'offer')),
  resource_id text not null,
  orgnr text,
  contact_id uuid,
  action text not null check (action in ('created', 'updated', 'archived', 'unarchived', 'deleted', 'restored', 'erased')),
  fields text[] not null,
  -- { field: [before, after] }: statuses, flags, numbers and references, never text.
  "values" jsonb not null,
  actor_kind text not null check (actor_kind in ('key', 'user', 'register', 'command')),
  actor_id text,
  request_id text,
  -- Tells this entry from one of the same id in a database restored from an older backup.
  salt integer not null default floor(random() * 2147483647),
  primary key (tenant_id, draw)
);
create unique index changes_in_order on changes (tenant_id, resource, id) where id is not null;
create index changes_unnumbered on changes (tenant_id, draw) where id is null;

-- How far the entries of a workspace are numbered, and up to which one old ones are gone.
create table change_counters (
  tenant_id uuid primary key references workspaces (id),
  last_id bigint not null default 0,
  last_salt integer not null default 0,
  pruned_id bigint not null default 0,
  pruned_salt integer not null default 0
);

-- What an ETag is made of, with updated_at.
alter table companies add column version bigint not null default 1;
alter table contacts add column version bigint not null default 1;
alter table tasks add column version bigint not null default 1;
alter table offers add column version bigint not null default 1;

-- An entry that the register or a command adds has no author.
alter table timeline_entries alter column user_id drop not null;

-- An erased contact keeps its row without the person, so that its id stays used: a late retry does not bring the
-- person back.
alter table contacts add column erased_at timestamptz(3);

-- Answers remembered under an Idempotency-Key, in the transaction of the write they answer.
create table remembered_answers (
  tenant_id uuid not null references workspaces (id),
  -- The API key, or the person of a session.
  scope text not null,
  idempotency_key text not null check (char_length(idempotency_key) <= 255),
  -- Both null once the person that the answer held was erased.
  fingerprint bytea,
  body text,
  etag text,
  status smallint not null,
  -- The contact whose data the answer holds.
  contact_id uuid,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, scope, idempotency_key)
);
create index remembered_answers_of_contact on remembered_answers (tenant_id, contact_id) where contact_id is not null;
create index remembered_answers_by_age on remembered_answers (created_at);
