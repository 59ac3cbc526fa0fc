-- Returns the recorded steps of a run, in order. A worker resumes the run from them.
-- detail: the recorded failure if the type of the step is 'error', what the provider of a model turn rejected (not of a
-- copied turn), otherwise null
-- opaque: the origin and the size of the opaque parts of a model turn, otherwise null
-- copied: the detail of a call that create_replay copied, otherwise null
-- due: whether the time until which the step waits has passed
-- callback: whether the step waits for a callback
-- waited: start and end of a wait for a time or for people, in milliseconds since 1970
create or replace function run_machine.recorded_steps(v runs) returns jsonb
language plpgsql volatile as $$
begin
  if v.step_n = 1 then return '[]'; end if;
  return to_jsonb(array(
    select jsonb_build_object(
        'n', s.n, 'path', s.path, 'try', s.try, 'type', s.type, 'tool', s.tool, 'state', s.state, 'request', s.request, 'output', case when s.type = 'output' then s.detail -> 'output' else s.output end,
        'error', s.error, 'detail', case when s.type = 'error' then s.detail when s.type = 'model_call' and s.attempt > 0 and s.detail ?| '{rejected_params,reasoning_dropped}'
          then jsonb_build_object('rejected_params', s.detail -> 'rejected_params', 'reasoning_dropped', s.detail -> 'reasoning_dropped') end,
        'opaque', case when s.type = 'model_call' then (select jsonb_build_object('origin', t.origin, 'bytes', coalesce(octet_length(t.sealed), 0))
          from turn_states t where t.run_id = s.run_id and t.n = s.n and t.workspace_id = s.workspace_id) end,
        'copied', case when s.attempt = 0 and s.type = 'tool_call' then s.detail end, 'cost', s.cost_micros, 'due', s.due_at <= clock_timestamp(),
        'callback', case when s.state = 'waiting' then s.detail ->> 'for' = 'callback' end,
        'waited', case when s.type in ('wait', 'approval', 'in_doubt') then jsonb_build_array(
          extract(epoch from s.started_at) * 1000,
          extract(epoch from least(coalesce(s.ended_at, clock_timestamp()), s.due_at)) * 1000) end)
      from run_steps s where s.run_id = v.id order by s.n));
end $$;
