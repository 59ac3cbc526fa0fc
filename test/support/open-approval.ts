/**
 * Returns SQL that adds an open approval to a run. The approval expires in one hour. The run must not have been claimed
 * by a worker.
 */
export function anOpenApproval(runId: string, approvalId: string): string {
  return `
    update runs set status = 'waiting_approval', wake_at = null, step_n = 2 where id = '${runId}';
    insert into run_steps (run_id, n, workspace_id, path, type, state, attempt, op, epoch)
      select id, 2, workspace_id, 'sign', 'approval', 'awaiting_approval', 1, gen_random_uuid(), 1 from runs where id = '${runId}';
    insert into approvals (id, workspace_id, run_id, agent_id, version, n, kind, policy, reason, approvers, required,
        self_approval, allowed_decisions, on_timeout, on_reject, hand_off_to, failure_is_handled, expires_at)
      select '${approvalId}', workspace_id, id, agent_id, version, 2, 'step', 'board', 'approval: board', '{}', 1,
        true, '{approve,reject}', 'fail', 'fail', '{}', false, now() + interval '1 hour' from runs where id = '${runId}'`;
}
