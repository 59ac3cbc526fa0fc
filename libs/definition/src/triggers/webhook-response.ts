import type { CompileContext } from '../contract/compile-context.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import type { Problems } from '../contract/problems.js';
import { any, dictionary, duration, object, PATTERNS } from '../contract/building-blocks.js';
import type { WebhookResponse } from '../model/webhook-trigger.js';

const DEFAULT_WAIT_MILLIS = 10_000;
const MAX_WAIT_MILLIS = 60_000;

/**
 * Headers that a definition cannot set. The service sets the first of them itself. Browsers apply the others to the
 * origin of the response, which is also the origin of the console, or to the whole page.
 */
const RESERVED_RESPONSE_HEADERS: ReadonlySet<string> = new Set([
  'x-content-type-options',
  'content-security-policy',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'trailer',
  'date',
  'x-request-id',
  'set-cookie',
  'set-cookie2',
  'set-login',
  'strict-transport-security',
  'public-key-pins',
  'public-key-pins-report-only',
  'expect-ct',
  'alt-svc',
  'clear-site-data',
  'service-worker-allowed',
  'origin-agent-cluster',
  'accept-ch',
  'critical-ch',
  'use-as-dictionary',
  'nel',
  'report-to',
  'reporting-endpoints',
  'content-security-policy-report-only',
  'cross-origin-embedder-policy',
  'cross-origin-embedder-policy-report-only',
  'cross-origin-opener-policy',
  'cross-origin-opener-policy-report-only',
  'cross-origin-resource-policy',
  'refresh',
]);

export const respondSchema = object(
  'Response to the caller, computed from the output of the run. If the run has not ended within `wait`, ' +
    'the response is 202, as without `respond`.',
  {
    wait: duration('Maximum time that the caller waits for the end of the run, at most 60s.', { default: '10s' }),
    status: any('HTTP status of the response, 200 to 599, or a template.', {
      type: ['integer', 'string'],
      default: 200,
    }),
    headers: dictionary('Headers of the response. A header with the value null is not sent.', PATTERNS.headerName, {}),
    body: any(
      'Body of the response. A string is sent as text, any other value as JSON. Default: the output of the run.',
    ),
  },
);

export function compileResponse(node: DefinitionNode | null, context: CompileContext): WebhookResponse | null {
  if (!node) return null;
  const headers = node
    .entries('headers')
    .map(([name, value, path]) => [name.toLowerCase(), context.template(value, path, 'webhookResponse')] as const);
  return {
    waitMs: node.durationOr('wait', DEFAULT_WAIT_MILLIS),
    status: context.optionalTemplate(node, 'status', 'webhookResponse'),
    headers: new Map(headers.filter(([name]) => !RESERVED_RESPONSE_HEADERS.has(name))),
    body: context.optionalTemplate(node, 'body', 'webhookResponse'),
  };
}

export function checkResponse(node: DefinitionNode, problems: Problems): void {
  if (node.durationOr('wait', DEFAULT_WAIT_MILLIS) > MAX_WAIT_MILLIS)
    problems.error(node.pathOf('wait'), '`wait` must be at most 60 seconds.', 'Write `60s` or less.');
  if (node.durationOr('wait', DEFAULT_WAIT_MILLIS) === 0)
    problems.error(
      node.pathOf('wait'),
      'With a `wait` of 0, the caller never gets this response, because no run has ended at once.',
      'Write `1s` or more. To answer at once, remove `respond`: the response is then 202 with the run.',
    );
  const status = node.raw('status') ?? 200;
  const isTemplate = typeof status === 'string' && status.includes('${{');
  if (!isTemplate && !isStatus(status))
    problems.error(
      node.pathOf('status'),
      'The status of an answer is a whole number from 200 to 599.',
      'Write for example `200`, or a template: `${{ output.status }}`.',
    );
  for (const [name, , path] of node.entries('headers')) {
    if (!RESERVED_RESPONSE_HEADERS.has(name.toLowerCase())) continue;
    problems.warning(path, `A definition cannot set the header \`${name}\`, so it is ignored.`, 'Remove the header.');
  }
}

export function isStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599;
}
