import type { ResumeOrder } from '@app/runs';
import type { Principal, Workspace } from '@app/workspace';
import type { Me, ResumeWorkspaceBody, WorkspaceResource } from './workspace.dto.js';

export function presentMe({ email, role, scopes, key, workspaceId, workspaceName }: Principal): Me {
  return {
    member: email,
    role,
    scopes: [...scopes].sort(),
    key: { id: key.id, kind: key.kind, name: key.name },
    workspace: { id: workspaceId, name: workspaceName },
  };
}

export function presentWorkspace(workspace: Workspace): WorkspaceResource {
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
