-- The first word of each address, for a search by the beginning of a name: the addresses that begin like it are each
-- another word, and those of a million contacts cannot be read one by one.
create function first_word(address text) returns text language plpgsql immutable strict parallel safe as $$
begin
  return substring(address collate "nb-NO-x-icu" from '^[[:alnum:]]+');
end $$;

create index contact_points_by_first_word on contact_points (tenant_id, first_word(word), contact_id)
  where type = 'email';
