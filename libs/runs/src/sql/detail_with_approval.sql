-- Returns the detail of a recorded step. Adds `approved: true` if people approved the call of the step.
create or replace function run_machine.detail_with_approval(s run_steps) returns jsonb
language sql stable as $$
  select coalesce(s.detail, '{}') || case when s.type = 'tool_call' and exists (
      select from approvals a join run_steps g on g.run_id = a.run_id and g.n = a.n
       where a.run_id = s.run_id and a.kind = 'tool_call' and a.status = 'approved' and g.path = s.path)
    then '{"approved": true}'::jsonb else '{}' end
$$;
