-- PostgreSQL plans for a workspace that its statistics do not know as for one without rows, and then reads all of its
-- rows for one of them, or compares each with each. By default a table is analyzed when a tenth of it has changed:
-- among a million rows, a new workspace of fifty thousand would stay unknown.
alter table change_counters set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table changes set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table companies set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table company_words set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table contact_companies set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table contact_points set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table contact_words set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table contacts set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table deleted_rows set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table demo_data set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table import_rows set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table imports set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table key_use set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table offer_words set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table offers set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table remembered_answers set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table task_words set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table tasks set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
alter table timeline_entries set (autovacuum_analyze_scale_factor = 0.005, autovacuum_analyze_threshold = 2000);
