import { Operation } from '../openapi/operation.decorator.js';
import { Me, WorkspaceResource } from './workspace.dto.js';

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
};
