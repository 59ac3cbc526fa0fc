import type { JsonObject } from '@app/kernel';

let agents = 0;

/** Returns the definition of a model-driven agent. It may use a read and a write operation of the tool at `url`. */
export function aModelAgent(url: string, more: JsonObject = {}): JsonObject {
  return {
    name: `model-agent-${++agents}`,
    model: 'fake/priced',
    instructions: 'Do what the input says.',
    tools: [shop(url)],
    ...more,
  };
}

function shop(url: string): JsonObject {
  return {
    name: 'shop',
    type: 'http',
    base_url: url,
    operations: [
      { name: 'look', description: 'Look something up', method: 'GET', path: '/look/{place}' },
      {
        name: 'pay',
        method: 'POST',
        path: '/pay',
        request: {
          type: 'object',
          required: ['amount'],
          additionalProperties: false,
          properties: { amount: { type: 'number' } },
        },
      },
    ],
  };
}
