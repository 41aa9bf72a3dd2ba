-- The rows of an import that failed, as a file that can be corrected and imported.
alter table platform.data_import add column failed_rows_file_pid varchar(32);
