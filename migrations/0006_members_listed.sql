-- A page of members finds its first over this index alone.
create index memberships_listed on memberships (tenant_id, user_id) where removed_at is null;
