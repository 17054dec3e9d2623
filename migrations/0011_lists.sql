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
