-- The names that fields had: the history of records keeps them as they were when it was written.
create table platform.field_rename (
  id bigint generated always as identity primary key,
  environment varchar(16) not null references platform.environment (code),
  model_code varchar(48) not null,
  from_code varchar(48) not null,
  to_code varchar(48) not null,
  renamed_at timestamptz(3) not null
);
create index field_rename_of_model on platform.field_rename (environment, model_code, id);
grant select on platform.field_rename to keelson_app;

create policy owner_renames on platform.file_reference to current_user
  using (current_setting('keelson.all_tenants', true) = 'on');

-- Values of fields as they were written at a time, under the codes that the fields have today.
create function platform.under_present_codes(given jsonb, of_environment text, of_model text, written_at timestamptz)
  returns jsonb language plpgsql stable as $$ declare r record; begin
    if given is null then return null; end if;
    for r in select from_code, to_code from platform.field_rename
      where environment = of_environment and model_code = of_model and renamed_at >= written_at order by id
    loop
      if given ? r.from_code then given := (given - r.from_code) || jsonb_build_object(r.to_code, given -> r.from_code); end if;
    end loop;
    return given;
  end $$;
