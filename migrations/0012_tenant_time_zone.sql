-- Where the days of a tenant begin: the name of an IANA time zone.
alter table platform.tenant add column time_zone varchar(64) not null default 'UTC';
-- An automation has a schedule for each zone: `<code>@<zone>`.
alter table platform.automation_schedule alter column code type varchar(120);
