import { Operation } from '../openapi/operation.decorator.js';
import { Health } from './health.dto.js';

/** How the routes for probes are described, by handler. */
export const HEALTH_OPERATIONS = {
  health: Operation({
    id: 'getHealth',
    tag: 'Service',
    summary: 'Whether this process lives',
    answers: [{ description: 'It does.', type: Health }],
  }),
  ready: Operation({
    id: 'getReadiness',
    tag: 'Service',
    summary: 'Whether the service can carry out runs',
    description:
      'Looks at database, migrations, queue and workers. A 503 lists in `missing` what is not there and why.',
    answers: [{ description: 'Everything is there.', type: Health }],
    problems: ['unavailable'],
  }),
  metrics: Operation({
    id: 'getMetrics',
    tag: 'Service',
    summary: 'Metrics of this process for Prometheus',
    answers: [{ description: 'Prometheus text format.', content: { 'text/plain': { schema: { type: 'string' } } } }],
  }),
};
