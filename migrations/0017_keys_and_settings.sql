-- How much each key is used, by hour: counted in each process, added here every few seconds. The newest row of a
-- key stays, so that its last use is known however long ago it was.
create table key_use (
  tenant_id uuid not null references workspaces (id),
  key_id text not null,
  hour timestamptz(3) not null,
  requests bigint not null,
  errors bigint not null,
  last_used_at timestamptz(3) not null,
  primary key (tenant_id, key_id, hour)
);
create index key_use_by_age on key_use (hour);

-- The key that took this one's place; this one ends at expires_at, or has ended.
alter table api_keys add column replaced_by text;

-- When the person last used the application in this workspace, to some minutes.
alter table memberships add column last_used_at timestamptz(3);

-- The change log as people read it: newest first, of everybody or of one person or key.
create index changes_by_time on changes (tenant_id, at, draw);
create index changes_of_actor on changes (tenant_id, actor_id, at, draw);
