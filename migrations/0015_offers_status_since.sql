-- Since when an offer has had its status. Where the change log has no entry of it, an offer that is new has been so
-- from its creation, and any other has had its status at least since its last change.
alter table offers add column status_since timestamptz(3);

update offers set status_since = entry.at from (
  select tenant_id, resource_id, max(at) as at from changes
  where resource = 'offer' and "values" ? 'status' group by tenant_id, resource_id
) as entry where offers.tenant_id = entry.tenant_id and offers.id::text = entry.resource_id;
update offers set status_since = created_at where status_since is null and status = 'new';
update offers set status_since = updated_at where status_since is null;

alter table offers alter column status_since set default now(), alter column status_since set not null;

-- Deleted ones come back with it.
update deleted_rows set "row" = "row" || jsonb_build_object('status_since', entry.at) from (
  select tenant_id, resource_id, max(at) as at from changes
  where resource = 'offer' and "values" ? 'status' group by tenant_id, resource_id
) as entry
where deleted_rows.tenant_id = entry.tenant_id and resource = 'offer' and id = entry.resource_id and "row" is not null;
update deleted_rows set "row" = "row" || jsonb_build_object('status_since', "row" -> 'created_at')
where resource = 'offer' and "row" is not null and not "row" ? 'status_since' and "row" ->> 'status' = 'new';
update deleted_rows set "row" = "row" || jsonb_build_object('status_since', "row" -> 'updated_at')
where resource = 'offer' and "row" is not null and not "row" ? 'status_since';

create index offers_by_status_since on offers (tenant_id, status_since, id);
-- With what a column of the board is put in order by.
create index offers_of_status_by_status_since on offers (tenant_id, status, status_since, id) include (company_id, user_id);

-- The history of one offer.
create index changes_of_offer on changes (tenant_id, resource_id, draw) where resource = 'offer';
