import type { aas } from '../data/api.js';
import { placeOf } from '../data/id-places.js';
import { one, type Search } from '../data/search.js';

export type AuditQuery = NonNullable<Parameters<typeof aas.auditEvents.list>[0]>;
type Action = NonNullable<AuditQuery['action']>;

/**
 * All actions of the audit log. The type of this object comes from the OpenAPI document, so a missing action is a
 * compile error.
 */
export const ACTIONS = Object.keys({
  'agent.archive': true,
  'agent.create': true,
  'agent.evaluate': true,
  'agent.pause': true,
  'agent.promote': true,
  'agent.resume': true,
  'agent.run_unpromoted': true,
  'agent.state.delete': true,
  'agent.webhook_secret.rotate': true,
  'agent_version.create': true,
  'api_key.create': true,
  'api_key.delete': true,
  'api_key.rotate': true,
  'approval.answer': true,
  'approval.approve': true,
  'approval.edit': true,
  'approval.mark_failed': true,
  'approval.mark_succeeded': true,
  'approval.reject': true,
  'approval.retry': true,
  'bulk_action.create': true,
  'connection.authorize': true,
  'connection.create': true,
  'connection.delete': true,
  'connection.update': true,
  'document.delete': true,
  'document.push': true,
  'evaluation.cancel': true,
  'file.delete': true,
  'file.link': true,
  'file.links_revoke': true,
  'file.reveal': true,
  'file.upload': true,
  'group.create': true,
  'group.delete': true,
  'group.update': true,
  'knowledge_base.access': true,
  'knowledge_base.create': true,
  'knowledge_base.delete': true,
  'knowledge_base.update': true,
  'member.create': true,
  'member.delete': true,
  'member.invited': true,
  'member.update': true,
  'model.check': true,
  'oauth_client.create': true,
  'oauth_client.delete': true,
  'run.reveal': true,
  'secret.create': true,
  'secret.delete': true,
  'secret.update': true,
  'session.began': true,
  'session.ended': true,
  'session.refused': true,
  'source.authorize': true,
  'source.create': true,
  'source.delete': true,
  'source.sync': true,
  'source.update': true,
  'sync.cancel': true,
  'sync.confirm_deletions': true,
  'webhook.create': true,
  'webhook.delete': true,
  'webhook.disable': true,
  'webhook.retry': true,
  'webhook.rotate': true,
  'webhook.test': true,
  'webhook.update': true,
  'workspace.resume': true,
  'workspace.resume_refused': true,
  'workspace.state.delete': true,
  'workspace.stop': true,
  'workspace.stop_refused': true,
} satisfies Record<Action, true>) as Action[];

const FILTERS = ['action', 'actor', 'since', 'until'] as const;

/**
 * Converts the filters of the page URL to a query of the API. Passes the values on unchanged, because the API validates
 * them.
 */
export function auditQuery(search: Search): AuditQuery {
  const given = FILTERS.flatMap((name) => {
    const value = one(search[name]);
    return value === undefined || value === '' ? [] : [[name, value]];
  });
  return Object.fromEntries(given) as AuditQuery;
}

/**
 * Pages for targets whose id has no page of its own. The key is the first part of the action, for example `secret` in
 * `secret.create`.
 */
const BY_ACTION: Readonly<Record<string, string>> = {
  api_key: '/settings/keys',
  group: '/settings/groups',
  member: '/settings/members',
  secret: '/settings/secrets',
  workspace: '/stop',
};

/** Returns the page that shows the target, or undefined if there is none. */
export function targetPath({ action, target }: { action: string; target: string | null }): string | undefined {
  if (target === null) return undefined;
  return placeOf(target)?.path ?? BY_ACTION[action.split('.')[0] ?? ''];
}
