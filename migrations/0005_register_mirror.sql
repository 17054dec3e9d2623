-- The mirror of the national register as a whole, and its place in each feed. register_copy, which held both,
-- stays for processes of the release before and is dropped one release later.
create table register_mirror (
  singleton boolean primary key default true check (singleton),
  imported_at timestamptz(3) not null,
  -- The moment whose register the mirror is known to hold at least; moved on by each sync that reached the end.
  current_at timestamptz(3) not null,
  -- Whether companies have taken over what this import brought.
  companies_refreshed boolean not null default false,
  synced_at timestamptz(3),
  last_error text,
  last_error_at timestamptz(3)
);

create table register_feeds (
  kind text primary key check (kind in ('unit', 'branch')),
  -- Where the feed goes on: after this entry, or, before any entry was read, from `since`.
  last_id bigint,
  last_at timestamptz(3),
  since timestamptz(3) not null,
  -- Of recently changed units: how many stated a field before, and how many do now.
  stated jsonb not null default '{}'
);

insert into register_mirror (imported_at, current_at, companies_refreshed, synced_at, last_error, last_error_at)
  select imported_at, current_at, companies_refreshed, synced_at, last_error, last_error_at from register_copy;
insert into register_feeds (kind, last_id, since)
  select 'unit', units_after, units_since from register_copy
  union all select 'branch', branches_after, branches_since from register_copy;

-- When the register last said something new about a number, kept for a day: look-ups that were asked before that
-- must not be written. `epoch` where nothing was said; the row then only orders those who write.
create table register_invalidations (
  orgnr text primary key,
  at timestamptz not null
);
create index register_invalidations_at on register_invalidations (at);

-- Numbers whose look-up failed while the register answered others: retried later, with growing pauses.
create table register_set_aside (
  orgnr text primary key,
  failures integer not null,
  first_failed_at timestamptz(3) not null,
  retry_at timestamptz(3) not null,
  last_error text not null
);
create index register_set_aside_retry_at on register_set_aside (retry_at);
