import type { JsonObject } from '@app/kernel';

import { RUN_INPUT } from '../bench-agents.js';

export const WEBHOOK_PATH = 'bench-order';

/**
 * Returns an n8n workflow that is equivalent to the measured agent, with four nodes and one HTTP call. Its webhook
 * responds as soon as the run is queued.
 */
export function n8nFlow(toolUrl: string): JsonObject {
  const nodes: JsonObject[] = [
    node('Webhook', 'n8n-nodes-base.webhook', 2, {
      httpMethod: 'POST',
      path: WEBHOOK_PATH,
      responseMode: 'onReceived',
      options: {},
    }),
    node('Order', 'n8n-nodes-base.httpRequest', 4.2, {
      method: 'GET',
      url: `=${toolUrl}/orders/{{ $json.body.order }}`,
      options: {},
    }),
    node('Sums', 'n8n-nodes-base.set', 3.4, {
      assignments: {
        assignments: [{ id: 'net', name: 'net', type: 'number', value: '={{ $json.total - $json.tax }}' }],
      },
      includeOtherFields: true,
      options: {},
    }),
    node('Route', 'n8n-nodes-base.if', 2.2, {
      conditions: {
        options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
        combinator: 'and',
        conditions: [
          condition('limit', '={{ $json.net }}', { type: 'number', operation: 'lte' }, RUN_INPUT.limit ?? 0),
          condition('open', '={{ $json.open }}', { type: 'boolean', operation: 'true', singleValue: true }, ''),
        ],
      },
      options: {},
    }),
  ];
  return {
    name: 'bench',
    nodes,
    connections: { Webhook: to('Order'), Order: to('Sums'), Sums: to('Route') },
    settings: { executionOrder: 'v1', saveDataSuccessExecution: 'all', saveDataErrorExecution: 'all' },
  };
}

function node(name: string, type: string, typeVersion: number, parameters: JsonObject): JsonObject {
  const id = `bench-${name.toLowerCase()}`;
  return { id, name, type, typeVersion, parameters, position: [0, 0], webhookId: id };
}

function condition(id: string, leftValue: string, operator: JsonObject, rightValue: JsonObject[string]): JsonObject {
  return { id, leftValue, operator, rightValue };
}

function to(name: string): JsonObject {
  return { main: [[{ node: name, type: 'main', index: 0 }]] };
}
