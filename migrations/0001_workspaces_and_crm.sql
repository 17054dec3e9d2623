-- The tenant boundary: tenant_id is the first column of every primary key, unique constraint and foreign key
-- below workspaces and users. An id is unique in its workspace only, and a link across workspaces cannot be
-- stored.

create table workspaces (
  id uuid primary key,
  name text not null check (char_length(name) between 1 and 255),
  created_at timestamptz(3) not null default now()
);

create table users (
  id uuid primary key,
  email text not null check (char_length(email) <= 254),
  -- How an address is compared: without case, unless it holds an asterisk.
  email_key text not null generated always as (case when strpos(email, '*') > 0 then email else lower(email) end) stored,
  first_name text not null check (char_length(first_name) <= 255),
  last_name text not null check (char_length(last_name) <= 255),
  created_at timestamptz(3) not null default now(),
  constraint users_email unique (email_key)
);

-- A person in a workspace. A removed member's row stays, so that what they wrote keeps its author.
create table memberships (
  tenant_id uuid not null references workspaces (id),
  user_id uuid not null references users (id),
  role text not null default 'member' check (role in ('owner', 'member')),
  created_at timestamptz(3) not null default now(),
  removed_at timestamptz(3),
  primary key (tenant_id, user_id)
);
create index memberships_user on memberships (user_id);

create table api_keys (
  tenant_id uuid not null,
  id text not null,
  user_id uuid not null,
  name text not null default '' check (char_length(name) <= 255),
  digest bytea not null,
  permissions bigint not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  primary key (tenant_id, id),
  constraint api_keys_user foreign key (tenant_id, user_id) references memberships (tenant_id, user_id)
);
-- A request names a key before its workspace is known.
create index api_keys_id on api_keys (id);

-- Every process keeps a short-lived cache of keys; this is what empties it.
create function notify_api_key_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('api_key_changed', old.id);
  return null;
end $$;
create trigger api_keys_changed after update or delete on api_keys
  for each row execute function notify_api_key_changed();

create function notify_member_keys_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('api_key_changed', id) from api_keys where tenant_id = old.tenant_id and user_id = old.user_id;
  return null;
end $$;
create trigger memberships_changed after update of removed_at or delete on memberships
  for each row execute function notify_member_keys_changed();

create table companies (
  tenant_id uuid not null references workspaces (id),
  id uuid not null,
  orgnr text not null check (orgnr ~ '^[0-9]{9}$'),
  name text not null check (char_length(name) <= 255),
  status text not null check (status in ('lead', 'prospect', 'customer', 'former_customer', 'disqualified')),
  assigned_to uuid,
  source text not null,
  org_form text not null,
  registered_at date not null,
  employees integer not null check (employees >= 0),
  nace_primary text not null check (nace_primary ~ '^[0-9]{2}\.[0-9]{3}$'),
  email_address text,
  phone_number text,
  mobile_number text,
  website_url text,
  is_archived boolean not null default false,
  is_deleted boolean not null default false,
  -- Contact fields that a person or an integration has set: the register no longer changes them.
  kept_fields text[] not null default '{}',
  -- The day the register dissolved the unit.
  dissolved_on date,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  constraint companies_orgnr unique (tenant_id, orgnr),
  constraint companies_assigned_to foreign key (tenant_id, assigned_to) references memberships (tenant_id, user_id)
);
-- Lists show companies that are not deleted, in order of id.
create index companies_listed on companies (tenant_id, id) where not is_deleted;
create index companies_assigned on companies (tenant_id, assigned_to) where assigned_to is not null;

create table timeline_entries (
  tenant_id uuid not null,
  id bigint generated always as identity,
  company_id uuid not null,
  type text not null,
  content jsonb not null,
  user_id uuid not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  constraint timeline_entries_company foreign key (tenant_id, company_id) references companies (tenant_id, id),
  constraint timeline_entries_user foreign key (tenant_id, user_id) references memberships (tenant_id, user_id)
);
create index timeline_entries_of_company on timeline_entries (tenant_id, company_id, id);

create table contacts (
  tenant_id uuid not null references workspaces (id),
  id uuid not null,
  name text not null check (char_length(name) <= 255),
  notes text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id)
);

create table contact_points (
  tenant_id uuid not null,
  id bigint generated always as identity,
  contact_id uuid not null,
  type text not null check (type in ('email', 'mobile', 'telephone', 'other')),
  label text not null check (char_length(label) <= 255),
  value text not null check (char_length(value) <= 255),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  constraint contact_points_contact foreign key (tenant_id, contact_id) references contacts (tenant_id, id)
);
create index contact_points_of_contact on contact_points (tenant_id, contact_id, id);

create table contact_companies (
  tenant_id uuid not null,
  id bigint generated always as identity,
  contact_id uuid not null,
  company_id uuid not null,
  role text check (char_length(role) <= 255),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  constraint contact_companies_contact foreign key (tenant_id, contact_id) references contacts (tenant_id, id),
  constraint contact_companies_company foreign key (tenant_id, company_id) references companies (tenant_id, id)
);
create index contact_companies_of_contact on contact_companies (tenant_id, contact_id, id);
create index contact_companies_of_company on contact_companies (tenant_id, company_id);

create table tasks (
  tenant_id uuid not null references workspaces (id),
  id uuid not null,
  title text not null check (char_length(title) <= 255),
  description text,
  due_date timestamptz(3) not null,
  has_time_specified boolean not null,
  user_id uuid not null,
  related_company_id uuid,
  completed boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  constraint tasks_user foreign key (tenant_id, user_id) references memberships (tenant_id, user_id),
  constraint tasks_related_company foreign key (tenant_id, related_company_id) references companies (tenant_id, id)
);
create index tasks_of_user on tasks (tenant_id, user_id);
create index tasks_of_company on tasks (tenant_id, related_company_id) where related_company_id is not null;

create table offers (
  tenant_id uuid not null references workspaces (id),
  id uuid not null,
  title text not null check (char_length(title) <= 255),
  description text,
  company_id uuid not null,
  user_id uuid not null,
  status text not null check (status in ('new', 'sent', 'negotiating', 'accepted', 'rejected')),
  one_time_revenue bigint not null check (one_time_revenue between 0 and 9007199254740991),
  recurring_revenue bigint not null check (recurring_revenue between 0 and 9007199254740991),
  recurring_frequency text not null check (recurring_frequency in ('monthly', 'quarterly', 'yearly')),
  weight integer not null check (weight between 0 and 100),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  constraint offers_accepted_is_certain check (status <> 'accepted' or weight = 100),
  constraint offers_company foreign key (tenant_id, company_id) references companies (tenant_id, id),
  constraint offers_user foreign key (tenant_id, user_id) references memberships (tenant_id, user_id)
);
create index offers_of_company on offers (tenant_id, company_id);
create index offers_of_user on offers (tenant_id, user_id);
