import { HttpCode } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiParam } from '@nestjs/swagger';
import { JSON_BODY_PROBLEMS, PAGE_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { ApprovalResource, DecideBody } from './approval.dto.js';

const RUN_ID = ApiParam({ name: 'id', description: 'The run.', schema: { type: 'string' } });
const APPROVAL_ID = ApiParam({ name: 'approval_id', description: 'The approval.', schema: { type: 'string' } });

const REVISION = { ETag: 'The `request_revision`.' };
const IF_MATCH = ApiHeader({
  name: 'If-Match',
  required: false,
  description: 'The `request_revision` that was read, in quotes: another one is answered 412.',
  schema: { type: 'string', example: '"1"' },
});

/** How the routes of approvals are described, by handler. */
export const APPROVAL_OPERATIONS = {
  list: Operation({
    id: 'listApprovals',
    tag: 'Approvals',
    summary: 'List approvals of all runs',
    description: 'With `status=open`: everything that waits for a person.',
    answers: [{ description: 'One page of approvals.', type: ApprovalResource, list: true }],
    problems: PAGE_PROBLEMS,
  }),
  listOfRun: Operation(
    {
      id: 'listRunApprovals',
      tag: 'Approvals',
      summary: 'List approvals of a run',
      answers: [{ description: 'One page of approvals.', type: ApprovalResource, list: true }],
      problems: [...PAGE_PROBLEMS, 'not_found'],
    },
    RUN_ID,
  ),
  get: Operation(
    {
      id: 'getRunApproval',
      tag: 'Approvals',
      summary: 'An approval',
      description: 'Reading it decides nothing.',
      answers: [{ description: 'The approval.', type: ApprovalResource, headers: REVISION }],
      problems: ['not_found'],
    },
    RUN_ID,
    APPROVAL_ID,
  ),
  decide: Operation(
    {
      id: 'decideRunApproval',
      tag: 'Approvals',
      summary: 'Decide an approval',
      description:
        'Only members of one of its `approvers` groups may. The first rejection ends it; an approval takes `required` ' +
        'different people. What then runs is the stored `request` and nothing else. Saying the same again changes nothing. ' +
        'Somebody else may edit the request meanwhile: with `If-Match` the decision counts only for the one that was read. ' +
        'While the workspace is stopped only `reject` and `mark_failed` are taken.',
      answers: [{ description: 'The approval after the decision.', type: ApprovalResource }],
      problems: [
        ...JSON_BODY_PROBLEMS,
        'not_found',
        'not_an_approver',
        'self_approval_forbidden',
        'approval_already_decided',
        'workspace_stopped',
        'precondition_failed',
        'input_invalid',
      ],
    },
    RUN_ID,
    APPROVAL_ID,
    IF_MATCH,
    // Nothing is created: a decision changes the approval.
    HttpCode(200),
    ApiBody({ type: DecideBody, required: true }),
  ),
};
