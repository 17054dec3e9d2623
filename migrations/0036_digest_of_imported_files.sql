-- Tells whether an import goes on with the file that it began with; null for imports of an earlier release.
alter table imports add column digest text check (char_length(digest) <= 64);
