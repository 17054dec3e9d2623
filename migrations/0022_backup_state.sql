-- What became of the backups that the service makes by itself: at most one row. No backup holds it.
create table backup_state (
  singleton boolean primary key default true check (singleton),
  made_at timestamptz(3),
  file text,
  bytes bigint,
  failed_at timestamptz(3),
  error text
);
-- Old notes are found without reading the others.
create index timeline_entries_notes_by_age on timeline_entries (tenant_id, created_at) where type = 'add_comment';
