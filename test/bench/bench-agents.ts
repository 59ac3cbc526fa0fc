import type { JsonObject } from '@app/kernel';

export type AgentKind = 'one-tool' | 'four-step';

export const RUN_INPUT: JsonObject = { order: 'A-1001', limit: 100 };
export const TOOL_ANSWER: JsonObject = { order: 'A-1001', customer: 'C-77', total: 119, tax: 19, open: true };
export const TOOL_PATH = '/orders/A-1001';

/**
 * Returns one of the two measured agents. Both call one HTTP tool once. The agent `four-step` also computes a value,
 * branches and checks an assertion.
 */
export function benchAgent(kind: AgentKind, toolUrl: string): JsonObject {
  const steps: Record<AgentKind, JsonObject[]> = {
    'one-tool': [{ id: 'order', tool: 'shop.get', with: { id: '${{ input.order }}' } }],
    'four-step': [
      { id: 'order', tool: 'shop.get', with: { id: '${{ input.order }}' } },
      { id: 'sums', let: { net: '${{ steps.order.output.total - steps.order.output.tax }}' } },
      {
        id: 'route',
        switch: [
          {
            when: 'steps.sums.output.net <= input.limit',
            steps: [{ id: 'open', assert: 'steps.order.output.open' }],
          },
        ],
      },
      { id: 'result', output: { order: '${{ input.order }}', net: '${{ steps.sums.output.net }}' } },
    ],
  };
  return {
    name: `bench-${kind}`,
    tools: [
      {
        name: 'shop',
        type: 'http',
        base_url: toolUrl,
        operations: [{ name: 'get', method: 'GET', path: '/orders/{id}' }],
      },
    ],
    steps: steps[kind],
  };
}
