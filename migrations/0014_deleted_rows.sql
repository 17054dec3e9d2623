-- Notes, tasks and offers that a person has deleted: the whole row, so that it can come back. The id stays used: a
-- late retry of its creation does not bring it back.
create table deleted_rows (
  tenant_id uuid not null references workspaces (id),
  resource text not null check (resource in ('note', 'task', 'offer')),
  id text not null,
  -- Null once it can no longer come back.
  "row" jsonb,
  deleted_at timestamptz(3) not null default now(),
  primary key (tenant_id, resource, id)
);
create index deleted_rows_by_age on deleted_rows (deleted_at) where "row" is not null;
