-- How the list of a view is shown: its shape, its groups, widths and figures of its columns.
alter table platform.saved_view add column display json not null default '{}';
