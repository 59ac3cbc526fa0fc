import { ApiSchema } from '@nestjs/swagger';
import { API_KEY_KINDS, type ApiKeyKind } from '@app/platform/crypto';
import { QUEUED_RUNS, type QueuedRuns, type ResumeOrder } from '@app/runs';
import { type Principal, type Role, ROLES, type Scope, SCOPES, type WorkspaceEntity } from '@app/workspace';
import { LONGEST_REASON } from '../emergency-stop/emergency-stop.api.js';
import { Id, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';

@ApiSchema({ description: 'The key of the request.' })
export class MeKey {
  @Id('apiKey') id: string;
  @OneOf(API_KEY_KINDS, { description: 'Kind of the key: `live`, or `test` for runs in mode `test` only.' })
  kind: ApiKeyKind;
  @Text({ description: 'Name of the key.', example: 'ci' }) name: string;
}

@ApiSchema({ description: 'The workspace of the key.' })
export class MeWorkspace {
  @Id('workspace') id: string;
  @Text({ description: 'Name of the workspace.', example: 'Acme' }) name: string;
}

@ApiSchema({ description: 'The caller as the service sees it.' })
export class Me {
  @Text({ description: 'E-mail address of the member.', example: 'ada@example.com' }) member: string;
  @OneOf(ROLES, { description: "Role: the weaker of the member's and the key's." }) role: Role;
  @OneOf(SCOPES, { list: true, description: 'Scopes that this key has.' }) scopes: Scope[];
  @Nested(MeKey, { description: 'Key of the request.' }) key: MeKey;
  @Nested(MeWorkspace, { description: 'Workspace of the key.' }) workspace: MeWorkspace;
}

export const WORKSPACE_STATUSES = ['active', 'stopped'] as const;

@ApiSchema({ name: 'Workspace', description: 'A tenant: its agents, knowledge, members and runs.' })
export class WorkspaceResource {
  @Id('workspace') id: string;
  @Text({ description: 'Name.', example: 'Acme' }) name: string;
  @OneOf(WORKSPACE_STATUSES, { description: 'Status; `stopped` between an emergency stop and the resume.' })
  status: (typeof WORKSPACE_STATUSES)[number];
  @Whole({ description: 'Counter that rises with each stop and each resume.', example: 2 }) epoch: number;
  @Timestamp({ nullable: true, description: 'Time of the stop; null while active.', example: null }) stopped_at:
    string | null;
  @Text({
    nullable: true,
    description: 'E-mail address of the admin who stopped it; null while active.',
    example: null,
  })
  stopped_by: string | null;
  @Text({ nullable: true, description: 'Reason of the stop; null if none was given.', example: null }) reason:
    string | null;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
}

@ApiSchema({ description: 'Options of the resume.' })
export class ResumeWorkspaceBody {
  @Text({
    optional: true,
    maxLength: LONGEST_REASON,
    description: 'Reason, recorded in the audit log.',
    example: 'Supplier API is back',
  })
  reason?: string;
  @OneOf(QUEUED_RUNS, {
    optional: true,
    default: 'resume',
    description: 'Treatment of runs that had not started: `resume` starts them, `cancel` cancels them.',
  })
  queued_runs: QueuedRuns = 'resume';
}

export function presentMe({ email, role, scopes, key, workspaceId, workspaceName }: Principal): Me {
  return {
    member: email,
    role,
    scopes: [...scopes].sort(),
    key: { id: key.id, kind: key.kind, name: key.name },
    workspace: { id: workspaceId, name: workspaceName },
  };
}

export function presentWorkspace(workspace: WorkspaceEntity): WorkspaceResource {
  return {
    id: workspace.id,
    name: workspace.name,
    status: workspace.state,
    epoch: workspace.epoch,
    stopped_at: workspace.stoppedAt?.toISOString() ?? null,
    stopped_by: workspace.stoppedBy,
    reason: workspace.stopReason,
    created_at: workspace.createdAt.toISOString(),
  };
}

export function resumeOrder({ email }: Principal, body: ResumeWorkspaceBody): ResumeOrder {
  return { actor: email, reason: body.reason ?? null, queuedRuns: body.queued_runs };
}
