-- People list deleted companies, too.
create index companies_deleted_by_id on companies (tenant_id, id) where is_deleted;
create index companies_deleted_by_name on companies (tenant_id, (name collate "nb-NO-x-icu"), id) where is_deleted;
create index companies_deleted_by_update on companies (tenant_id, updated_at, id) where is_deleted;
