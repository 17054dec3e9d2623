-- How an invitation calls somebody whom the service knew already, until they accept it: what whoever invited them
-- typed, so that inviting shows nothing of a person's account. Null for everybody else.
alter table memberships add column invited_email text;
alter table memberships add column invited_first_name text;
alter table memberships add column invited_last_name text;

-- Who gave the link out, null for the operator: it ends when they are removed or may do less.
alter table welcome_links add column created_by uuid;
create index welcome_links_of_creator on welcome_links (created_by) where used_at is null;
