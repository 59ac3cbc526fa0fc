-- Returns a recorded value in its redacted form: each sealed value {$sealed, shown} is replaced by its `shown`. It is
-- the SQL version of shownValue in privacy/sealed-value.ts. If the value has no sealed parts, the cost is one text
-- search.
create or replace function run_machine.shown_value(p_value jsonb) returns jsonb
language plpgsql immutable as $$
begin
  if p_value is null or strpos(p_value::text, '"$sealed"') = 0 then return p_value; end if;
  return case jsonb_typeof(p_value)
    when 'array' then
      to_jsonb(array(select run_machine.shown_value(i.value) from jsonb_array_elements(p_value) with ordinality as i(value, n) order by i.n))
    when 'object' then
      case when jsonb_typeof(p_value -> '$sealed') = 'string' and jsonb_typeof(p_value -> 'shown') = 'string'
          and p_value - '{$sealed,shown}'::text[] = '{}' then p_value -> 'shown'
        else (select json_object_agg(m.key, run_machine.shown_value(m.value)) from jsonb_each(p_value) as m)::jsonb end
    else p_value end;
end $$;
