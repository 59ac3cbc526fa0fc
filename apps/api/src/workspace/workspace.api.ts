import { ApiSchema } from '@nestjs/swagger';
import { API_KEY_KINDS, type ApiKeyKind } from '@app/platform/crypto';
import { QUEUED_RUNS, type QueuedRuns, type ResumeOrder } from '@app/runs';
import { type Principal, type Role, ROLES, type Scope, SCOPES, type WorkspaceEntity } from '@app/workspace';
import { LONGEST_REASON } from '../emergency-stop/emergency-stop.api.js';
import { Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';

export class MeKey {
  @Text({ example: 'key_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @OneOf(API_KEY_KINDS) kind: ApiKeyKind;
  @Text() name: string;
}

export class MeWorkspace {
  @Text({ example: 'wsp_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text() name: string;
}

export class Me {
  @Text({ description: 'E-mail address.', example: 'ada@example.com' }) member: string;
  @OneOf(ROLES, { description: "The weaker of the member's and the key's role." }) role: Role;
  @OneOf(SCOPES, { list: true, description: 'What this key may do.' }) scopes: Scope[];
  @Nested(MeKey) key: MeKey;
  @Nested(MeWorkspace) workspace: MeWorkspace;
}

export const WORKSPACE_STATUSES = ['active', 'stopped'] as const;

@ApiSchema({ name: 'Workspace' })
export class WorkspaceResource {
  @Text({ example: 'wsp_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text() name: string;
  @OneOf(WORKSPACE_STATUSES) status: (typeof WORKSPACE_STATUSES)[number];
  @Whole({ description: 'Rises at every stop and at every resume.' }) epoch: number;
  @Timestamp({ nullable: true }) stopped_at: string | null;
  @Text({ nullable: true, description: 'E-mail address.' }) stopped_by: string | null;
  @Text({ nullable: true, description: 'Why it was stopped.' }) reason: string | null;
  @Timestamp() created_at: string;
}

export class ResumeWorkspaceBody {
  @Text({ optional: true, maxLength: LONGEST_REASON, description: 'Kept in the audit log.' }) reason?: string;
  @OneOf(QUEUED_RUNS, { optional: true, default: 'resume', description: 'What becomes of runs that had not begun.' })
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
