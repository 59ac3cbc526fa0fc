/**
 * All actions of the audit log. SQL functions record some of them: the actions on approvals, and stopping and resuming
 * a workspace.
 */
export const AUDIT_ACTIONS = [
  'agent.archive',
  'agent.create',
  'agent.evaluate',
  'agent.pause',
  'agent.promote',
  'agent.resume',
  'agent.run_unpromoted',
  'agent.state.delete',
  'agent.webhook_secret.rotate',
  'agent_version.create',
  'api_key.create',
  'api_key.delete',
  'api_key.rotate',
  'approval.answer',
  'approval.approve',
  'approval.edit',
  'approval.mark_failed',
  'approval.mark_succeeded',
  'approval.reject',
  'approval.retry',
  'bulk_action.create',
  'connection.authorize',
  'connection.create',
  'connection.delete',
  'connection.update',
  'document.delete',
  'document.push',
  'evaluation.cancel',
  'file.delete',
  'file.link',
  'file.links_revoke',
  'file.upload',
  'group.create',
  'group.delete',
  'group.update',
  'knowledge_base.access',
  'knowledge_base.create',
  'knowledge_base.delete',
  'knowledge_base.update',
  'member.create',
  'member.delete',
  'member.invited',
  'member.update',
  'model.check',
  'run.reveal',
  'secret.create',
  'secret.delete',
  'secret.update',
  'session.began',
  'session.ended',
  'session.refused',
  'source.authorize',
  'source.create',
  'source.delete',
  'source.sync',
  'source.update',
  'sync.cancel',
  'sync.confirm_deletions',
  'webhook.create',
  'webhook.delete',
  'webhook.disable',
  'webhook.retry',
  'webhook.rotate',
  'webhook.test',
  'webhook.update',
  'workspace.resume',
  'workspace.state.delete',
  'workspace.stop',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** If the service rejects one of these actions, it records `<action>_refused`. */
export const REFUSABLE_ACTIONS = ['workspace.resume', 'workspace.stop'] as const satisfies readonly AuditAction[];

export type RefusableAction = (typeof REFUSABLE_ACTIONS)[number];

/** Every value of `action` in the audit log. */
export const RECORDED_ACTIONS: readonly string[] = [
  ...AUDIT_ACTIONS,
  ...REFUSABLE_ACTIONS.map((action) => `${action}_refused`),
].sort();
