-- Every list is read from an index in the order asked for: the workspace, the filter, the column sorted by, the id.
-- Where a filter has few values (completed, archived), its column stands before the sort in the other indexes too:
-- a list without that filter is put together from one part for each value.

create index tasks_by_id on tasks (tenant_id, completed, id);
create index tasks_by_due_date on tasks (tenant_id, completed, due_date, id);
create index tasks_by_update on tasks (tenant_id, completed, updated_at, id);
create index tasks_of_user_by_id on tasks (tenant_id, user_id, completed, id);
create index tasks_of_user_by_due_date on tasks (tenant_id, user_id, completed, due_date, id);
create index tasks_of_user_by_update on tasks (tenant_id, user_id, completed, updated_at, id);
create index tasks_of_company_by_id on tasks (tenant_id, related_company_id, completed, id)
  where related_company_id is not null;
create index tasks_of_company_by_due_date on tasks (tenant_id, related_company_id, completed, due_date, id)
  where related_company_id is not null;
create index tasks_of_company_by_update on tasks (tenant_id, related_company_id, completed, updated_at, id)
  where related_company_id is not null;
drop index tasks_of_user, tasks_of_company;

create index offers_by_update on offers (tenant_id, updated_at, id);
create index offers_of_user_by_id on offers (tenant_id, user_id, id);
create index offers_of_user_by_update on offers (tenant_id, user_id, updated_at, id);
create index offers_of_company_by_id on offers (tenant_id, company_id, id);
create index offers_of_company_by_update on offers (tenant_id, company_id, updated_at, id);
create index offers_of_status_by_id on offers (tenant_id, status, id);
create index offers_of_status_by_update on offers (tenant_id, status, updated_at, id);
drop index offers_of_user, offers_of_company;

create index companies_by_id on companies (tenant_id, is_archived, id) where not is_deleted;
create index companies_by_name on companies (tenant_id, is_archived, (name collate "nb-NO-x-icu"), id)
  where not is_deleted;
create index companies_by_update on companies (tenant_id, is_archived, updated_at, id) where not is_deleted;
create index companies_of_status_by_id on companies (tenant_id, status, is_archived, id) where not is_deleted;
create index companies_of_status_by_name
  on companies (tenant_id, status, is_archived, (name collate "nb-NO-x-icu"), id) where not is_deleted;
create index companies_of_status_by_update on companies (tenant_id, status, is_archived, updated_at, id)
  where not is_deleted;
-- Nobody's companies are found like those of a person, under an id that no person can have.
create index companies_of_person_by_id on companies
  (tenant_id, (coalesce(assigned_to, '00000000-0000-0000-0000-000000000001')), is_archived, id) where not is_deleted;
create index companies_of_person_by_name on companies
  (tenant_id, (coalesce(assigned_to, '00000000-0000-0000-0000-000000000001')), is_archived, (name collate "nb-NO-x-icu"), id)
  where not is_deleted;
create index companies_of_person_by_update on companies
  (tenant_id, (coalesce(assigned_to, '00000000-0000-0000-0000-000000000001')), is_archived, updated_at, id)
  where not is_deleted;
drop index companies_assigned;

create index timeline_entries_notes on timeline_entries (tenant_id, id) where type = 'add_comment';
