-- What undoing needs is found where it is still there, however old its import is, without reading other rows.
create index import_rows_with_before on import_rows (tenant_id, import_id) where before is not null;
