-- A contact has a bounded number of details and company links. They are counted on the contact, in the statement
-- that adds one: its row lock keeps concurrent requests from passing the bound together.
alter table contacts
  add column point_count integer not null default 0,
  add column link_count integer not null default 0;

update contacts set
  point_count = (
    select count(*) from contact_points
    where contact_points.tenant_id = contacts.tenant_id and contact_points.contact_id = contacts.id
  ),
  link_count = (
    select count(*) from contact_companies
    where contact_companies.tenant_id = contacts.tenant_id and contact_companies.contact_id = contacts.id
  );
