-- The row that a problem is about, as the file has it: with the first problem of the first rows.
alter table platform.data_import_problem add column given json;
