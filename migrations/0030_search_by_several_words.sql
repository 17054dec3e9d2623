-- Rows by their words, for a search of several: each may be in many rows, all together are in few. The workspace
-- stands before each word, so that a search does not take longer because of other workspaces' rows.
create function search_words(tenant_id uuid, search text) returns tsvector
language plpgsql immutable strict parallel safe as $$
begin
  return array_to_tsvector(
    string_to_array(tenant_id::text || replace(btrim(search), ' ', ' ' || tenant_id::text), ' '));
end $$;

-- Without a list of pending entries: each search would read it. Tasks and offers have none: they are changed often, and
-- any change of a row adds its words to the index again.
create index companies_by_words on companies using gin (search_words(tenant_id, search)) with (fastupdate = off);
create index contacts_by_words on contacts using gin (search_words(tenant_id, search)) with (fastupdate = off);
