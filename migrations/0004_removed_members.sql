-- A removed member's keys stay dead when the person is added again: a key from before this time opens nothing.
alter table memberships add column rejoined_at timestamptz(3);

update api_keys k set revoked_at = m.removed_at
from memberships m
where m.tenant_id = k.tenant_id and m.user_id = k.user_id and m.removed_at is not null and k.revoked_at is null;
