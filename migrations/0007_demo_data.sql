-- What `kundebok demo` added to a workspace, so that removing it takes away these rows and no others. The key
-- keeps two runs at once from filling a workspace twice.
create table demo_data (
  tenant_id uuid primary key references workspaces (id),
  members uuid[] not null default '{}',
  companies uuid[] not null default '{}',
  contacts uuid[] not null default '{}',
  contact_points bigint[] not null default '{}',
  contact_companies bigint[] not null default '{}',
  timeline_entries bigint[] not null default '{}',
  tasks uuid[] not null default '{}',
  offers uuid[] not null default '{}',
  created_at timestamptz(3) not null default now()
);
