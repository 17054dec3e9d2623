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

create index contacts_by_id on contacts (tenant_id, id) where erased_at is null;
create index contacts_by_name on contacts (tenant_id, (name collate "nb-NO-x-icu"), id) where erased_at is null;
create index contacts_by_update on contacts (tenant_id, updated_at, id) where erased_at is null;
create index contact_companies_of_company_in_order on contact_companies (tenant_id, company_id, contact_id);
drop index contact_companies_of_company;

-- A name as it is searched: words in lower case without diacritics, one space between them. æ, ø and å are letters
-- of their own; å, which Unicode takes for an a with a ring, is set aside meanwhile.
create function search_text(name text) returns text language sql immutable strict parallel safe
return btrim(regexp_replace(
  replace(normalize(regexp_replace(
    normalize(replace(lower(normalize(name, NFC) collate "nb-NO-x-icu"), 'å', U&'\E000'), NFD),
    U&'[\0300-\036F]', '', 'g'), NFC), U&'\E000', 'å') collate "nb-NO-x-icu",
  '[^[:alnum:]]+', ' ', 'g'));

-- How a point of a contact is searched: an email address in lower case, the digits of a telephone number without
-- the prefix of Norway; others are not.
create function point_word(type text, value text) returns text language sql immutable strict parallel safe
return case
  when type = 'email' then lower(value collate "nb-NO-x-icu")
  when type in ('mobile', 'telephone') then
    nullif(regexp_replace(regexp_replace(value, '[^0-9+]', '', 'g'), '^(\+47|0047)|\+', '', 'g'), '')
end;

-- A blank before each word, so that a word's start can be looked for.
alter table companies
  add column search text collate "C" not null generated always as (' ' || orgnr || ' ' || search_text(name)) stored;
alter table contact_points
  add column word text collate "C" generated always as (point_word(type, value)) stored;
alter table contacts
  add column search text collate "C" not null generated always as (' ' || search_text(name)) stored;

-- The words of each name and number, written by the statements that write the row. One left over by a race finds
-- nothing: what is found is checked on the row. The rows are too many for a foreign key, and need none.
create table company_words (
  tenant_id uuid not null,
  word text collate "C" not null,
  company_id uuid not null,
  primary key (tenant_id, word, company_id)
);
insert into company_words
  select distinct tenant_id, word, id from companies, unnest(string_to_array(btrim(search), ' ')) as word;

create table contact_words (
  tenant_id uuid not null,
  contact_id uuid not null,
  -- The point that the word is of; 0 for those of the name.
  point_id bigint not null,
  word text collate "C" not null,
  primary key (tenant_id, contact_id, point_id, word)
);
insert into contact_words
  select distinct tenant_id, id, 0, word from contacts, unnest(string_to_array(btrim(search), ' ')) as word
  where word <> ''
  union all
  select tenant_id, contact_id, id, word from contact_points where word is not null;
create index contact_words_by_word on contact_words (tenant_id, word, contact_id);
