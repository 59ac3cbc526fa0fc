import { ApiBody } from '@nestjs/swagger';
import { JSON_BODY_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { EmergencyStopResource, ResumeWorkspaceBody, StopWorkspaceBody } from './emergency-stop.dto.js';
import { WorkspaceResource } from './workspace.dto.js';

/** How stopping and resuming are described, by handler. */
export const EMERGENCY_STOP_OPERATIONS = {
  stop: Operation(
    {
      id: 'stopWorkspace',
      tag: 'Workspace',
      summary: 'Stop every agent of the workspace',
      description:
        'When it has answered, no tool call begins anywhere until the resume, and every call that had begun has answered or stands in `in_flight`. Reading, cancelling and rejecting work while stopped; clocks of approvals and of the queue stand still. Repeating it answers the same epoch.',
      answers: [{ description: 'The workspace is stopped, also where it was before.', type: EmergencyStopResource }],
      problems: JSON_BODY_PROBLEMS,
    },
    ApiBody({ type: StopWorkspaceBody, required: false }),
  ),
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
