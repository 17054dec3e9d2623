-- The contacts of a company that has many, in the order of each sort: their links hold what they are sorted by. The
-- other links hold null, and their contacts are sorted for each page. See decision 7.
alter table contact_companies
  add column contact_name text collate "nb-NO-x-icu",
  add column contact_updated_at timestamptz(3);

-- The version of the contact whose name and time its links hold. Where it differs from `version`, the contact was
-- written without its links, as processes of an earlier release do. Null: no link holds anything.
alter table contacts add column ordered_version bigint;

create index contact_companies_by_name on contact_companies (tenant_id, company_id, contact_name, contact_id)
  where contact_name is not null;
create index contact_companies_by_update on contact_companies (tenant_id, company_id, contact_updated_at, contact_id)
  where contact_updated_at is not null;
create index contact_companies_unordered on contact_companies (tenant_id, company_id, contact_id)
  where contact_updated_at is null;
create index contacts_out_of_order on contacts (tenant_id, id)
  where ordered_version <> version and erased_at is null;
