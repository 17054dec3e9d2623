-- What matches of a search are sorted by, beside their ids: thousands of them are put in order without reading rows.
create index companies_listed_with_sorts on companies (tenant_id, id) include (updated_at, name) where not is_deleted;
drop index companies_listed;
create index contacts_by_id_with_sorts on contacts (tenant_id, id) include (updated_at, name) where erased_at is null;
drop index contacts_by_id;
