-- The name of a unit as it is searched: words in lower case without diacritics, one space between them; æ, ø and å
-- are letters of their own. Written with the name by the service. Processes of the release before leave it empty:
-- what they write is found by its number until it is written again. Units that are there get theirs in one pass.
alter table register_units add column search text collate "C" not null generated always as (
  btrim(regexp_replace(
    normalize(regexp_replace(
      normalize(lower(normalize(name, NFC) collate "nb-NO-x-icu"), NFD),
      U&'(?<!a)\030A|[\0300-\0309\030B-\036F]', '', 'g'), NFC) collate "nb-NO-x-icu",
    '[^[:alnum:]]+', ' ', 'g'))) stored;
alter table register_units alter column search drop expression;
alter table register_units alter column search set default '';

-- One index for each place of a word in a name, so that the first matches of the start of a word are read without
-- the others. They hold the whole name, so that other words are checked without reading the unit. Branches have
-- their own, because they come last.
create index register_units_name on register_units (search) include (orgnr)
  where not is_branch and deleted_on is null;
create index register_branches_name on register_units (search) include (orgnr)
  where is_branch and deleted_on is null;
do $$
begin
  for place in 2..6 loop
    execute format($sql$
      create index register_units_word_%1$s on register_units (split_part(search, ' ', %1$s), search) include (orgnr)
        where not is_branch and deleted_on is null and split_part(search, ' ', %1$s) <> '';
      create index register_branches_word_%1$s on register_units (split_part(search, ' ', %1$s), search) include (orgnr)
        where is_branch and deleted_on is null and split_part(search, ' ', %1$s) <> ''
      $sql$, place);
  end loop;
end $$;
-- Few names have more words than six.
create index register_units_more_words on register_units
  using gin (array_to_tsvector((string_to_array(search, ' '))[7:])) with (fastupdate = off)
  where deleted_on is null and split_part(search, ' ', 7) <> '';
