import { PAGE_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { AuditEventResource } from './audit-event.dto.js';

/** How the audit log is described, by handler. */
export const AUDIT_EVENT_OPERATIONS = {
  list: Operation({
    id: 'listAuditEvents',
    tag: 'Workspace',
    summary: 'Who did what in the workspace',
    answers: [{ description: 'One page of the audit log.', type: AuditEventResource, list: true }],
    problems: PAGE_PROBLEMS,
  }),
};
