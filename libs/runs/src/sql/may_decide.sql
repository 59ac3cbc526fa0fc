-- Whether a person may take a decision about an approval: null, or the error code of the refusal. Only this function
-- holds the rule. An approval past its deadline counts as open until it is expired. p_decision: null means any
-- decision that the approval allows. p_groups: the groups of the person; p_is_admin counts where the approval names no
-- group. The rule does not depend on a stop: a rejection is accepted even then.
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
