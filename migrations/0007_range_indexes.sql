-- Constraints against overlapping records compare texts and numbers in indexes of ranges.
do $$ begin
  if exists (select from pg_available_extensions where name = 'btree_gist') then create extension if not exists btree_gist; end if;
end $$;
