-- What this service keeps of the national register: one row a unit, shared by all workspaces, nothing beyond
-- what a company shows. Filled by a bulk import, by the feed of changes, and by single look-ups.
create table register_units (
  orgnr text not null,
  name text not null,
  org_form text not null,
  registered_at date not null,
  employees integer not null,
  nace_primary text not null,
  email_address text,
  phone_number text,
  mobile_number text,
  website_url text,
  -- Set for a unit the register has dissolved.
  deleted_on date,
  is_branch boolean not null,
  -- When the register said so.
  as_of timestamptz(3) not null,
  constraint register_units_pkey primary key (orgnr)
);

-- Numbers that the register has removed on legal grounds: nothing it said before may be kept again.
create table register_removed (
  orgnr text primary key,
  removed_at timestamptz(3) not null
);

-- The copy as a whole: at most one row, none before the first import.
create table register_copy (
  singleton boolean primary key default true check (singleton),
  imported_at timestamptz(3) not null,
  -- The moment whose register the copy is known to hold at least; moved on by each sync that reached the end.
  current_at timestamptz(3) not null,
  -- Where each feed goes on: after this entry, or, before any entry was read, from this moment.
  units_after bigint,
  units_since timestamptz(3) not null,
  branches_after bigint,
  branches_since timestamptz(3) not null,
  -- Whether companies have taken over what this import brought.
  companies_refreshed boolean not null default false,
  synced_at timestamptz(3),
  last_error text,
  last_error_at timestamptz(3)
);

-- The feed names units, not workspaces.
create index companies_by_orgnr on companies (orgnr);
