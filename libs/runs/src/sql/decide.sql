-- Records the decision of one person about an approval. If the decision completes the approval, the same commit applies
-- the result to the run.
--
-- p_groups: the groups of the person. p_is_admin is used only if the approval names no group: admins then decide.
-- p_request, p_show: for `edit`, the new arguments and the values that approvers see, which the caller has checked.
-- p_revisions: the revisions of the request that the decision accepts; null accepts any revision.
-- p_via: the channel through which the person decided.
-- p_answer: for `answer`, the answer to the question, which the caller has checked.
--
-- If a person approves the same request again, the second approval does not count. The first answer closes a question,
-- and all later answers are rejected, even equal ones. An edit changes the request, so earlier approvals no longer
-- count. The edit keeps the request that it replaced (`request_before`). If the deadline of the approval has passed, the
-- function expires the approval.
--
-- While the workspace is stopped, only the decisions reject and mark_failed are accepted, because they begin nothing.
--
-- verdict: decided | recorded (more approvers are needed) | repeated (the same person made the same decision before)
--        | closed, not_an_approver, self_approval, not_allowed (the error codes of may_decide, under the names that
--          processes of the previous release know)
--        | stopped | not_found
--        | changed (the revision of the request is not in p_revisions)
create or replace function run_machine.record_decision(
  p_workspace text, p_run text, p_approval text, p_decision text, p_actor text, p_groups text[], p_is_admin boolean,
  p_comment text, p_request jsonb, p_show jsonb, p_revisions text[], p_via text, p_answer jsonb
) returns table (verdict text)
language plpgsql volatile as $$
declare
  v_stop record;
  v runs%rowtype;
  a approvals%rowtype;
  v_before jsonb;
  v_refusal text;
begin
  v_stop := workspace.stop_lock(p_workspace);
  select * into v from runs r where r.id = p_run and r.workspace_id = p_workspace for no key update;
  select * into a from approvals x where x.id = p_approval and x.run_id = p_run and x.workspace_id = p_workspace for no key update;
  if v.id is null or a.id is null then
    return query select 'not_found';
    return;
  elsif run_machine.expire_if_due(a.id) then
    return query select 'closed';
    return;
  end if;
  select x.d into v_before from jsonb_array_elements(a.decisions) with ordinality as x(d, i)
   where x.d ->> 'by' = p_actor order by x.i desc limit 1;
  v_refusal := run_machine.may_decide(a, p_decision, p_actor, p_groups, p_is_admin);
  if a.status in ('open', run_machine.outcome_of(p_decision)) and (
      (p_decision not in ('edit', 'answer') and v_before ->> 'decision' = p_decision)
      or (p_decision = 'approve' and v_before ->> 'decision' = 'edit')
      or (p_decision = 'edit' and v_before ->> 'decision' = 'edit' and a.request = p_request)) then
    return query select 'repeated';
  elsif v_refusal is not null then
    return query select case v_refusal when 'approval_already_decided' then 'closed'
      when 'self_approval_forbidden' then 'self_approval' when 'invalid_request' then 'not_allowed' else v_refusal end;
  elsif not a.request_revision::text = any (p_revisions) then
    return query select 'changed';
  elsif v_stop.state <> 'active' and p_decision not in ('reject', 'mark_failed') then
    return query select 'stopped';
  else
    if p_decision = 'edit' then
      if p_request is null or p_show is null then
        raise exception 'the edit of % has not been checked', p_approval;
      end if;
      update approvals x set request = p_request, show = p_show, request_revision = a.request_revision + 1 where x.id = a.id;
      update run_steps s set request = p_request where s.run_id = p_run and s.n = a.n;
      a.decisions := '[]';
    elsif p_decision = 'answer' then
      if p_answer is null then
        raise exception 'the answer to % has not been checked', p_approval;
      end if;
      update approvals x set answer = p_answer where x.id = a.id;
    end if;
    a.decisions := a.decisions
      || jsonb_build_object('by', p_actor, 'decision', p_decision, 'comment', p_comment, 'via', p_via,
        'at', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'request_before', case when p_decision = 'edit' then a.request end);
    update approvals x set decisions = a.decisions where x.id = a.id;
    perform workspace.audit(p_workspace, p_actor, 'approval.' || p_decision, a.id, jsonb_strip_nulls(jsonb_build_object(
      'run', p_run, 'tool', a.tool, 'comment', p_comment, 'request_before', case when p_decision = 'edit' then a.request end,
      'request', p_request)));
    if p_decision in ('approve', 'edit') and jsonb_array_length(a.decisions) < a.required then
      return query select 'recorded';
      return;
    end if;
    perform run_machine.emit('approval.decided', p_run, jsonb_build_object('approval', a.id, 'decision', p_decision, 'by', p_actor));
    perform run_machine.close_approval(a.id, run_machine.outcome_of(p_decision), p_decision);
    return query select 'decided';
  end if;
end $$;

-- Overload for processes of the previous release, which do not pass an answer.
create or replace function run_machine.record_decision(
  p_workspace text, p_run text, p_approval text, p_decision text, p_actor text, p_groups text[], p_is_admin boolean,
  p_comment text, p_request jsonb, p_show jsonb, p_revisions text[], p_via text
) returns table (verdict text)
language sql volatile as $$
  select d.verdict from run_machine.record_decision(p_workspace, p_run, p_approval, p_decision, p_actor, p_groups, p_is_admin,
    p_comment, p_request, p_show, p_revisions, p_via, null) d
$$;

-- Function for processes of earlier releases, which do not pass the channel.
create or replace function run_machine.decide(
  p_workspace text, p_run text, p_approval text, p_decision text, p_actor text, p_groups text[], p_is_admin boolean,
  p_comment text, p_request jsonb, p_show jsonb, p_revisions text[]
) returns table (verdict text)
language sql volatile as $$
  select d.verdict from run_machine.record_decision(p_workspace, p_run, p_approval, p_decision, p_actor, p_groups, p_is_admin,
    p_comment, p_request, p_show, p_revisions, 'api', null) d
$$;

-- Returns the status of an approval that p_decision has closed.
create or replace function run_machine.outcome_of(p_decision text) returns text
language sql immutable as $$
  select case when p_decision in ('reject', 'mark_failed') then 'rejected' when p_decision = 'answer' then 'answered' else 'approved' end
$$;
