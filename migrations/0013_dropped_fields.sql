-- A rename to nothing: the column was dropped. A field that gets the code later has a history of its own.
alter table platform.field_rename alter column to_code drop not null;

create or replace function platform.under_present_codes(given jsonb, of_environment text, of_model text, written_at timestamptz)
  returns jsonb language plpgsql stable as $$ declare r record; begin
    if given is null then return null; end if;
    for r in select from_code, to_code from platform.field_rename
      where environment = of_environment and model_code = of_model and renamed_at >= written_at order by id
    loop
      if not given ? r.from_code then continue; end if;
      if r.to_code is null then given := given - r.from_code;
      else given := (given - r.from_code) || jsonb_build_object(r.to_code, given -> r.from_code); end if;
    end loop;
    return given;
  end $$;
