-- What separates the cells of a CSV file, where the request has said it.
alter table platform.data_import add column delimiter varchar(2);
