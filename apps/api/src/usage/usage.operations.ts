import { Operation } from '../openapi/operation.decorator.js';
import { UsageReport } from './usage.dto.js';

/** How the routes of usage are described, by handler. */
export const USAGE_OPERATIONS = {
  report: Operation({
    id: 'getUsage',
    tag: 'Workspace',
    summary: 'Runs, tokens and cost, by agent, day or model',
    description: 'Of runs that were created in a time of at most 366 days.',
    answers: [{ description: 'The sums.', type: UsageReport }],
  }),
};
