-- A contact that was merged into another keeps its row without the person, as an erased one does: its id stays used.
alter table contacts
  add column merged_into uuid,
  add constraint contacts_merged check (merged_into is null or erased_at is not null);

-- Titles are searched like the names of companies: see 0011.
alter table tasks
  add column search text collate "C" not null generated always as (' ' || search_text(title)) stored;
alter table offers
  add column search text collate "C" not null generated always as (' ' || search_text(title)) stored;

create table task_words (
  tenant_id uuid not null,
  word text collate "C" not null,
  task_id uuid not null,
  primary key (tenant_id, word, task_id)
);
insert into task_words
  select distinct tenant_id, word, id from tasks, unnest(string_to_array(btrim(search), ' ')) as word
  where word <> '';

create table offer_words (
  tenant_id uuid not null,
  word text collate "C" not null,
  offer_id uuid not null,
  primary key (tenant_id, word, offer_id)
);
insert into offer_words
  select distinct tenant_id, word, id from offers, unnest(string_to_array(btrim(search), ' ')) as word
  where word <> '';
