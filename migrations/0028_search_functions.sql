-- The same functions as before, in a language that PostgreSQL does not inline: for a generated column it would parse,
-- inline and plan a function in SQL again in every statement that writes a row, which took longer than to run it.
create or replace function search_text(name text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  return btrim(regexp_replace(
    replace(normalize(regexp_replace(
      normalize(replace(lower(normalize(name, NFC) collate "nb-NO-x-icu"), 'å', U&'\E000'), NFD),
      U&'[\0300-\036F]', '', 'g'), NFC), U&'\E000', 'å') collate "nb-NO-x-icu",
    '[^[:alnum:]]+', ' ', 'g'));
end $$;

create or replace function point_word(type text, value text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  return case
    when type = 'email' then lower(value collate "nb-NO-x-icu")
    when type in ('mobile', 'telephone') then
      nullif(regexp_replace(regexp_replace(value, '[^0-9+]', '', 'g'), '^(\+47|0047)|\+', '', 'g'), '')
  end;
end $$;
