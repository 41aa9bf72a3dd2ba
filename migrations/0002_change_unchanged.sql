-- The fields that a change left as they were, where its `record.*` event cannot take them from a command's result.
alter table platform.change_log add column unchanged jsonb;
