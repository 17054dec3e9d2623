-- People who sign in to the application. What belongs to a person is below users, not below a workspace: a person
-- may be a member of several.

alter table users add column password_hash text;
-- The language of the application; null for the browser's.
alter table users add column language text check (language in ('nb', 'en'));

alter table workspaces add column language text not null default 'nb' check (language in ('nb', 'en'));
-- Dates without a time of day are days of this zone.
alter table workspaces add column time_zone text not null default 'Europe/Oslo' check (char_length(time_zone) between 1 and 64);

alter table memberships drop constraint memberships_role_check;
alter table memberships add constraint memberships_role_check check (role in ('owner', 'admin', 'member'));
-- When the person accepted the workspace's own invitation. Nobody enters a workspace without: whoever holds the
-- link of one workspace gets into no other that knows the same address.
alter table memberships add column joined_at timestamptz(3);

create table sessions (
  id uuid primary key,
  -- SHA-256 of the token in the cookie.
  digest bytea not null,
  user_id uuid not null references users (id),
  -- The workspace it shows.
  tenant_id uuid references workspaces (id),
  user_agent text not null check (char_length(user_agent) <= 512),
  network text not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  constraint sessions_digest unique (digest)
);
create index sessions_of_user on sessions (user_id);
create index sessions_by_end on sessions (expires_at);

-- Single-use links: to accept an invitation to a workspace, or to set a new password.
create table welcome_links (
  digest bytea primary key,
  kind text not null check (kind in ('invitation', 'reset')),
  user_id uuid not null references users (id),
  tenant_id uuid references workspaces (id),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  constraint welcome_links_workspace check ((kind = 'invitation') = (tenant_id is not null))
);
create index welcome_links_of_user on welcome_links (user_id);

-- Attempts to sign in, by a digest of the address as typed: people type passwords there, too.
create table sign_in_attempts (
  id uuid primary key,
  account bytea not null,
  network text not null,
  succeeded boolean not null default false,
  at timestamptz(3) not null default now()
);
create index sign_in_attempts_of_account on sign_in_attempts (account, at);
create index sign_in_attempts_of_network on sign_in_attempts (network, at);
create index sign_in_attempts_by_age on sign_in_attempts (at);

create table passkeys (
  -- The credential id, base64url.
  id text primary key,
  user_id uuid not null references users (id),
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null check (char_length(name) <= 255),
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3)
);
create index passkeys_of_user on passkeys (user_id);

-- Accounts at an identity provider (OpenID Connect), by what the provider never gives to another person.
create table identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references users (id),
  created_at timestamptz(3) not null default now(),
  primary key (issuer, subject)
);
create index identities_of_user on identities (user_id);
