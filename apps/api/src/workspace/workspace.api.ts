import { ApiSchema } from '@nestjs/swagger';
import { API_KEY_KINDS, type ApiKeyKind } from '@app/platform/crypto';
import { QUEUED_RUNS, type QueuedRuns, type ResumeOrder } from '@app/runs';
import { type Principal, type Role, ROLES, type Scope, SCOPES, type WorkspaceEntity } from '@app/workspace';
import type { WorkspaceFiles } from '@app/files';
import type { UnconfirmedCall } from '@app/runs/emergency-stop';
import { CallInFlightResource } from '../emergency-stop/emergency-stop.api.js';
import { presentCall } from '../emergency-stop/emergency-stop.view.js';
import { MAX_REASON } from '../emergency-stop/stop-request.js';
import { Flag, Id, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';
import { presentSession, SessionResource } from '../sessions/sessions.api.js';

@ApiSchema({ description: 'The API key that authenticated the request.' })
export class MeKey {
  @Id('apiKey') id: string;
  @OneOf(API_KEY_KINDS, { description: 'Kind of the key: `live`, or `test` for runs in mode `test` only.' })
  kind: ApiKeyKind;
  @Text({ description: 'Name of the key.', example: 'ci' }) name: string;
}

@ApiSchema({ description: 'The workspace of the caller.' })
export class MeWorkspace {
  @Id('workspace') id: string;
  @Text({ description: 'Name of the workspace.', example: 'Acme' }) name: string;
}

@ApiSchema({ description: 'A workspace that the caller is a member of.' })
export class AccessibleWorkspace {
  @Id('workspace') id: string;
  @Text({ description: 'Name of the workspace.', example: 'Acme' }) name: string;
  @Flag({ description: 'Whether this is the workspace of the request.', example: true }) current: boolean;
}

@ApiSchema({ description: 'The caller: the member, the role, the scopes and the workspace.' })
export class Me {
  @Text({ description: 'E-mail address of the member.', example: 'ada@example.com' }) member: string;
  @OneOf(ROLES, { description: "Role of the caller: the weaker of the member's role and the key's role." }) role: Role;
  @OneOf(SCOPES, { list: true, description: 'Scopes that the caller has.' }) scopes: Scope[];
  @Nested(MeKey, { nullable: true, description: 'Key of the request; null for a session.' }) key: MeKey | null;
  @Nested(SessionResource, { nullable: true, description: 'Session of the request; null for a key.' })
  session: SessionResource | null;
  @Nested(MeWorkspace, { description: 'Workspace of the key or session.' }) workspace: MeWorkspace;
  @Nested(AccessibleWorkspace, {
    list: true,
    description: 'Workspaces that the caller may switch to, and the current one.',
  })
  workspaces: AccessibleWorkspace[];
}

export const WORKSPACE_STATUSES = ['active', 'stopped'] as const;

@ApiSchema({ name: 'FileUsage', description: 'The files of a workspace that are not deleted.' })
export class FileUsageResource {
  @Whole({ description: 'Number of files.', example: 12 }) count: number;
  @Whole({ description: 'Size of all files together, in bytes.', example: 6291456 }) bytes: number;
  @Whole({ nullable: true, description: 'Maximum of `bytes`; null if there is none.', example: 10737418240 })
  limit_bytes: number | null;
  @Whole({ description: 'Size of all fixtures together, in bytes. It is no part of `bytes`.', example: 0 })
  fixture_bytes: number;
  @Whole({ description: 'Size of the documents of knowledge bases. It is no part of `bytes`.', example: 0 })
  document_bytes: number;
  @Whole({
    description: 'Number of files whose bytes are missing or damaged, as the last attempt to read them showed.',
    example: 0,
  })
  missing: number;
}

@ApiSchema({ name: 'Workspace', description: 'A tenant: its agents, knowledge, members and runs.' })
export class WorkspaceResource {
  @Id('workspace') id: string;
  @Text({ description: 'Name of the workspace.', example: 'Acme' }) name: string;
  @OneOf(WORKSPACE_STATUSES, { description: 'Status; `stopped` between an emergency stop and the resume.' })
  status: (typeof WORKSPACE_STATUSES)[number];
  @Whole({ description: 'Counter that increases by one with each stop and each resume.', example: 2 }) epoch: number;
  @Timestamp({ nullable: true, description: 'Time of the stop; null while active.', example: null }) stopped_at:
    string | null;
  @Text({
    nullable: true,
    description: 'E-mail address of the admin who stopped it; null while active.',
    example: null,
  })
  stopped_by: string | null;
  @Text({ nullable: true, description: 'Reason for the stop; null if none was given.', example: null }) reason:
    string | null;
  @Nested(CallInFlightResource, {
    list: true,
    description: 'Calls still in progress after the stop; empty while the workspace is active.',
    example: [],
  })
  in_flight: CallInFlightResource[];
  @Text({
    list: true,
    description: 'Regions in which knowledge bases can be created. The first is the default.',
    example: ['local'],
  })
  regions: string[];
  @Nested(FileUsageResource, { description: 'Space that the files use.' }) files: FileUsageResource;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
}

@ApiSchema({ description: 'Options of the resume.' })
export class ResumeWorkspaceBody {
  @Text({
    optional: true,
    maxLength: MAX_REASON,
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

/** `workspaces` contains the workspaces to which the caller may switch, and the current one. */
export function presentMe(principal: Principal, workspaces: readonly MeWorkspace[]): Me {
  const { email, role, scopes, key, session, workspaceId, workspaceName } = principal;
  return {
    member: email,
    role,
    scopes: [...scopes].sort(),
    key: key && { id: key.id, kind: key.kind, name: key.name },
    session: session && presentSession(session, session.id),
    workspace: { id: workspaceId, name: workspaceName },
    workspaces: workspaces.map(({ id, name }) => ({ id, name, current: id === workspaceId })),
  };
}

export function presentWorkspace(
  workspace: WorkspaceEntity,
  { regions, files }: { regions: readonly string[]; files: WorkspaceFiles },
  inFlight: readonly UnconfirmedCall[] = [],
): WorkspaceResource {
  return {
    id: workspace.id,
    name: workspace.name,
    status: workspace.state,
    epoch: workspace.epoch,
    stopped_at: workspace.stoppedAt?.toISOString() ?? null,
    stopped_by: workspace.stoppedBy,
    reason: workspace.stopReason,
    in_flight: inFlight.map(presentCall),
    regions: [...regions],
    files: {
      count: files.count,
      bytes: files.bytes,
      limit_bytes: files.limitBytes,
      fixture_bytes: files.fixtureBytes,
      document_bytes: files.documentBytes,
      missing: files.missing,
    },
    created_at: workspace.createdAt.toISOString(),
  };
}

export function resumeOrder({ email }: Principal, body: ResumeWorkspaceBody): ResumeOrder {
  return { actor: email, reason: body.reason ?? null, queuedRuns: body.queued_runs };
}
