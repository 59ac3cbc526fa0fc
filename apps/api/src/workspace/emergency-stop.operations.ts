import { ApiBody } from '@nestjs/swagger';
import { JSON_BODY_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { EmergencyStopResource, StopWorkspaceBody } from './emergency-stop.dto.js';

/** OpenAPI description of the emergency stop. */
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
};
