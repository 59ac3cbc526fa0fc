import type { aas } from '../data/api.js';
import { placeOf } from '../data/id-places.js';
import { one, type Search } from '../data/search.js';

export type AuditQuery = NonNullable<Parameters<typeof aas.auditEvents.list>[0]>;
type Action = NonNullable<AuditQuery['action']>;

/**
 * What an actor did, as words before the target. The type comes from the OpenAPI document, so a missing action is a
 * compile error.
 */
export const ACTION_WORDS: Readonly<Record<Action, string>> = {
  'agent.archive': 'archived the agent',
  'agent.create': 'created the agent',
  'agent.evaluate': 'evaluated the agent',
  'agent.pause': 'paused the agent',
  'agent.promote': 'changed the production version of',
  'agent.resume': 'resumed the agent',
  'agent.run_unpromoted': 'ran a version that is not in production of',
  'agent.state.delete': 'deleted state of the agent',
  'agent.webhook_secret.rotate': 'replaced the webhook secret of',
  'agent_version.create': 'added a version to',
  'api_key.create': 'created the API key',
  'api_key.delete': 'deleted the API key',
  'api_key.rotate': 'rotated the API key',
  'approval.answer': 'answered the question',
  'approval.approve': 'approved',
  'approval.edit': 'approved with changes',
  'approval.mark_failed': 'marked as failed',
  'approval.mark_succeeded': 'marked as succeeded',
  'approval.reject': 'rejected',
  'approval.retry': 'had the call made again of',
  'bulk_action.create': 'started the bulk action',
  'connection.authorize': 'authorized the connection',
  'connection.create': 'created the connection',
  'connection.delete': 'deleted the connection',
  'connection.update': 'changed the connection',
  'document.delete': 'deleted the document',
  'document.push': 'added the document',
  'evaluation.cancel': 'cancelled the evaluation',
  'file.delete': 'deleted the file',
  'file.link': 'created a link to the file',
  'file.links_revoke': 'revoked the links to the file',
  'file.reveal': 'revealed the file',
  'file.upload': 'uploaded the file',
  'fixture.create': 'created the fixture',
  'fixture.delete': 'deleted the fixture',
  'fixture.update': 'replaced the fixture',
  'group.create': 'created the group',
  'group.delete': 'deleted the group',
  'group.update': 'changed the group',
  'knowledge_base.access': 'changed the access to the knowledge base',
  'knowledge_base.create': 'created the knowledge base',
  'knowledge_base.delete': 'deleted the knowledge base',
  'knowledge_base.update': 'changed the knowledge base',
  'member.create': 'added the member',
  'member.delete': 'removed the member',
  'member.invited': 'invited the member',
  'member.update': 'changed the member',
  'model.check': 'checked the model',
  'oauth_client.create': 'registered the OAuth client',
  'oauth_client.delete': 'deleted the OAuth client',
  'run.reveal': 'revealed values of the run',
  'secret.create': 'created the secret',
  'secret.delete': 'deleted the secret',
  'secret.update': 'changed the secret',
  'session.began': 'signed in',
  'session.ended': 'signed out',
  'session.refused': 'was refused at sign-in',
  'source.authorize': 'authorized the source',
  'source.create': 'connected the source',
  'source.delete': 'deleted the source',
  'source.sync': 'started a sync of the source',
  'source.update': 'changed the source',
  'sync.cancel': 'cancelled the sync of',
  'sync.confirm_deletions': 'confirmed the deletions of',
  'webhook.create': 'created the webhook',
  'webhook.delete': 'deleted the webhook',
  'webhook.disable': 'disabled the webhook',
  'webhook.retry': 'retried deliveries to',
  'webhook.rotate': 'rotated the secret of the webhook',
  'webhook.test': 'tested the webhook',
  'webhook.update': 'changed the webhook',
  'workspace.resume': 'resumed all agents of',
  'workspace.resume_refused': 'was refused to resume',
  'workspace.state.delete': 'deleted state of',
  'workspace.stop': 'stopped all agents of',
  'workspace.stop_refused': 'was refused to stop',
};

export const ACTIONS = Object.keys(ACTION_WORDS) as Action[];

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
  connection: '/settings/connections',
  file: '/settings/files',
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
