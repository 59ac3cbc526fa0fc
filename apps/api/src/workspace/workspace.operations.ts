import { ApiBody } from '@nestjs/swagger';
import { JSON_BODY_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { Me, ResumeWorkspaceBody, WorkspaceResource } from './workspace.dto.js';

/** How the routes of the workspace are described, by handler. */
export const WORKSPACE_OPERATIONS = {
  me: Operation({
    id: 'getMe',
    tag: 'Workspace',
    summary: 'On whose behalf this key acts, and what it may do',
    answers: [{ description: 'The member, the key and the workspace.', type: Me }],
  }),
  get: Operation({
    id: 'getWorkspace',
    tag: 'Workspace',
    summary: 'The workspace of this key',
    answers: [{ description: 'The workspace.', type: WorkspaceResource }],
  }),
  resume: Operation(
    {
      id: 'resumeWorkspace',
      tag: 'Workspace',
      summary: 'Let a stopped workspace go on',
      description:
        'Suspended runs continue after their last recorded step; agents that were paused stay paused. A workspace that is not stopped stays as it is.',
      answers: [{ description: 'The workspace, which is active.', type: WorkspaceResource }],
      problems: JSON_BODY_PROBLEMS,
    },
    ApiBody({ type: ResumeWorkspaceBody, required: false }),
  ),
};
