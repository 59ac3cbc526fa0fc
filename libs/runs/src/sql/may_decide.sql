-- Returns null if a person may make a decision about an approval, otherwise the error code. No other code implements
-- this check. If p_decision is null, checks whether the person may make any of the decisions that the approval allows.
-- p_groups: the groups of the person. p_is_admin matters only if the approval names no group.
-- An approval whose deadline has passed counts as open until its status changes to expired. A stopped workspace does
-- not change the result, because people may reject approvals during a stop.
create or replace function run_machine.may_decide(
  p_approval approvals, p_decision text, p_actor text, p_groups text[], p_is_admin boolean
) returns text
language sql stable as $$
  select case
    when p_approval.status <> 'open' then 'approval_already_decided'
    when not (p_approval.approvers && p_groups or (p_approval.approvers = '{}' and p_is_admin)) then 'not_an_approver'
    when not p_approval.self_approval and (select r.initiator from runs r where r.id = p_approval.run_id) = p_actor
      then 'self_approval_forbidden'
    when not p_decision = any (p_approval.allowed_decisions) then 'invalid_request'
  end
$$;
