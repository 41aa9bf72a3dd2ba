-- The last number of each sequence field, tenant and period.
create table platform.sequence_counter (
  environment varchar(16) not null references platform.environment (code),
  tenant_id bigint not null,
  model_code varchar(48) not null,
  field_code varchar(48) not null,
  period varchar(8) not null,
  value bigint not null,
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, environment, model_code, field_code, period)
);
create index sequence_counter_by_age on platform.sequence_counter (updated_at) where period <> '';
alter table platform.sequence_counter enable row level security;
alter table platform.sequence_counter force row level security;
create policy tenant on platform.sequence_counter using (tenant_id = platform.current_tenant());
create policy owner_cleans on platform.sequence_counter to current_user using (true);
grant select, insert, update on platform.sequence_counter to keelson_app;
