import type { Response } from 'express';
import { ApiSchema } from '@nestjs/swagger';
import { AGENT_STATUSES, type AgentStatus } from '@app/agents';
import { type Changes, RUN_STATUSES, type RunStatus } from '@app/runs';
import { Id, Nested, OneOf, Text, Whole } from '../http/fields.js';
import { WORKSPACE_STATUSES } from '../workspace/workspace.api.js';

export class ChangesQuery {
  @Text({
    optional: true,
    description:
      'Value of `next` from the previous response; a token, not a time. Default: the current state, without changes.',
  })
  since?: string;
}

@ApiSchema({ description: 'Whether the workspace is stopped, and the counter of its stops and resumes.' })
export class WorkspaceState {
  @OneOf(WORKSPACE_STATUSES, { description: 'Status; `stopped` between an emergency stop and the resume.' })
  status: string;
  @Whole({ description: 'Counter that increases by one with each stop and each resume.', example: 1 }) epoch: number;
}

@ApiSchema({ description: 'A run that was created or whose status changed.' })
export class ChangedRun {
  @Id('run') id: string;
  @Id('agent') agent: string;
  @OneOf(RUN_STATUSES, { description: 'Current status.' }) status: RunStatus;
}

@ApiSchema({ description: 'An agent that was created or changed.' })
export class ChangedAgent {
  @Id('agent') id: string;
  @OneOf(AGENT_STATUSES, { description: 'Current status.' }) status: AgentStatus;
  @Whole({ description: 'Number of the newest version.', example: 4 }) latest_version: number;
  @Whole({ description: 'Number of the production version.', example: 3 }) production_version: number;
}

@ApiSchema({ description: 'The current state of the workspace, and the runs and agents that changed.' })
export class WorkspaceChanges {
  @Nested(WorkspaceState, { description: 'State of the workspace.' }) workspace: WorkspaceState;
  @Whole({ description: 'Number of open approvals.', example: 3 }) approvals_open: number;
  @Whole({ description: 'Number of open approvals that the caller may decide and has not approved.', example: 1 })
  approvals_mine: number;
  @Whole({ description: 'Number of them that belong to runs in mode `test`.', example: 0 }) approvals_mine_test: number;
  @Nested(ChangedRun, {
    list: true,
    description:
      'Runs that changed, the earliest change first. If both lists together have 100 entries, more may follow: send `next` as `since`.',
  })
  runs_changed: ChangedRun[];
  @Nested(ChangedAgent, {
    list: true,
    description: 'Agents that changed, the earliest change first. Empty without the scope `agents:read`.',
  })
  agents_changed: ChangedAgent[];
  @Text({ description: 'Value of `since` for the next request.', example: 'eyJhIjoi…' }) next: string;
}

/** Responds with 204 if `changes` is undefined. */
export function answerChanges(response: Response, changes: WorkspaceChanges | undefined): WorkspaceChanges | undefined {
  response.status(changes ? 200 : 204);
  return changes;
}

export function presentChanges(changes: Changes, next: string): WorkspaceChanges {
  return {
    workspace: { status: changes.status, epoch: changes.epoch },
    approvals_open: changes.approvalsOpen,
    approvals_mine: changes.approvalsMine,
    approvals_mine_test: changes.approvalsMineTest,
    runs_changed: changes.runs.map(({ id, agentId, status }) => ({ id, agent: agentId, status })),
    agents_changed: changes.agents.map(({ id, status, latestVersion, productionVersion }) => ({
      id,
      status,
      latest_version: latestVersion,
      production_version: productionVersion,
    })),
    next,
  };
}
