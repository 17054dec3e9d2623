-- What a browser was told when it began to sign in by passkey or at an identity provider. Used once.
create table sign_in_steps (
  -- SHA-256 of the passkey's challenge, or of the state that comes back from the provider.
  digest bytea primary key,
  kind text not null check (kind in ('passkey', 'new_passkey', 'provider')),
  -- Whom a new passkey or identity is for; null to sign in.
  user_id uuid references users (id),
  -- What the answer is checked with; for a provider also the digest of the secret that only this browser has.
  content jsonb not null,
  expires_at timestamptz(3) not null
);
create index sign_in_steps_by_end on sign_in_steps (expires_at);
