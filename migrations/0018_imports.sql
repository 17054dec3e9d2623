-- Files that people have read in, and what became of each row: what undoing needs, and nothing else of the file.
create table imports (
  tenant_id uuid not null references workspaces (id),
  id uuid not null,
  resource text not null check (resource in ('company', 'contact', 'offer')),
  user_id uuid not null,
  file_name text not null check (char_length(file_name) <= 255),
  -- The field of each column; null for one that is left out.
  columns text[] not null,
  row_count integer not null,
  created_count integer not null default 0,
  updated_count integer not null default 0,
  unchanged_count integer not null default 0,
  refused_count integer not null default 0,
  undone_count integer not null default 0,
  kept_count integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- When undoing began: nothing more is read in from then on.
  undone_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references memberships (tenant_id, user_id)
);
create index imports_by_age on imports (created_at);

create table import_rows (
  tenant_id uuid not null,
  import_id uuid not null,
  -- Of the row in the file; the header is 1.
  line integer not null,
  outcome text not null check (outcome in ('created', 'updated', 'unchanged', 'refused')),
  resource_id uuid,
  fields text[] not null,
  reasons jsonb not null,
  -- What the changed fields were; gone when the row can no longer be undone, or the person is erased.
  before jsonb,
  -- The state that the import left.
  etag text,
  undo text check (undo in ('undone', 'kept')),
  primary key (tenant_id, import_id, line),
  constraint import_rows_once unique (tenant_id, import_id, resource_id),
  foreign key (tenant_id, import_id) references imports (tenant_id, id) on delete cascade
);
create index import_rows_of_resource on import_rows (tenant_id, resource_id) where resource_id is not null;
create index import_rows_to_undo on import_rows (tenant_id, import_id, line)
  where outcome in ('created', 'updated') and undo is null;
