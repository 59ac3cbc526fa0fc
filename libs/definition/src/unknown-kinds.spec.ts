import type { JsonObject } from '@app/kernel';
import { compileDefinition } from './compile/compile-definition.js';

const tool = (more: JsonObject): JsonObject => ({
  tools: [
    {
      name: 't',
      type: 'http',
      base_url: 'https://a.example',
      operations: [{ name: 'get', method: 'GET', path: '/' }],
      ...more,
    },
  ],
});

describe('a stored definition with a kind that this release does not know', () => {
  it.each<[string, JsonObject, RegExp]>([
    [
      'step',
      { steps: [{ id: 'a', teleport: {} }] },
      /Broken invariant: \/steps\/0 of a definition is a step of a known kind/,
    ],
    [
      'step in a block',
      { steps: [{ id: 'a', for_each: [1], steps: [{ id: 'b', teleport: {} }] }] },
      /Broken invariant: \/steps\/0\/steps\/0 of a definition is a step of a known kind/,
    ],
    [
      'tool',
      tool({ type: 'fax' }),
      /Broken invariant: \/tools\/0\/type of a definition is one of http, openapi, mcp, agent, email/,
    ],
    [
      'auth',
      tool({ auth: { type: 'oath' } }),
      /Broken invariant: \/tools\/0\/auth\/type of a definition is one of bearer, basic/,
    ],
    [
      'transport',
      tool({ type: 'mcp', transport: 'pigeon', include: ['a'], url: 'https://a.example' }),
      /Broken invariant: \/tools\/0\/transport of a definition is one of streamable_http, stdio/,
    ],
    [
      'trigger',
      { triggers: [{ id: 'a', type: 'moon', cron: '0 7 * * *' }] },
      /Broken invariant: \/triggers\/0\/type of a definition is one of email\.received, webhook, schedule/,
    ],
    [
      'assertion',
      { evaluation: { cases: [{ name: 'a', input: {}, assert: [{ type: 'smells', value: 1 }] }] } },
      /\/type of a definition is one of equals, contains/,
    ],
  ])('is refused: %s', (_, members, message) => {
    expect(() => compileDefinition({ name: 'x', steps: [{ id: 'end', output: 1 }], ...members })).toThrow(message);
  });
});
