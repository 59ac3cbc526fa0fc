-- Records what model turns sent: [{n, messages: {promptN, prompt, added}}, ...]. `prompt` is missing if the turn promptN
-- of the run has the same one. Ignores a turn that attempt p_attempt is not executing any more.
create or replace function run_machine.record_turn_messages(p_run text, p_attempt integer, p_results jsonb) returns void
language sql volatile as $$
  insert into turn_messages (run_id, n, workspace_id, prompt_n, prompt, added)
    select p_run, s.n, s.workspace_id, (x.messages ->> 'promptN')::integer, x.messages -> 'prompt', x.messages -> 'added'
      from jsonb_to_recordset(p_results) as x(n integer, messages jsonb)
        join run_steps s on s.run_id = p_run and s.n = x.n
     where jsonb_typeof(x.messages) = 'object' and s.attempt = p_attempt and s.state = 'started'
  on conflict do nothing
$$;

-- Copies what the turns sent that create_replay copied from p_source to p_run. A copied turn whose prompt is in a turn
-- that was not copied gets the prompt.
create or replace function run_machine.copy_turn_messages(p_workspace text, p_source text, p_run text) returns void
language sql volatile as $$
  insert into turn_messages (run_id, n, workspace_id, prompt_n, prompt, added)
    select p_run, s.n, p_workspace, coalesce(first.n, s.n), case when first.n is null or first.n = s.n then p.prompt end, t.added
      from run_steps s
        join turn_messages t on t.run_id = p_source and t.run_id || '.' || t.n = s.detail ->> 'recorded_from'
        left join turn_messages p on p.run_id = p_source and p.n = t.prompt_n
        left join run_steps first on first.run_id = p_run and first.detail ->> 'recorded_from' = p_source || '.' || t.prompt_n
     where s.run_id = p_run and s.type = 'model_call' and t.workspace_id = p_workspace
$$;
