import type { JsonObject } from '@app/kernel';

/**
 * Returns the definition of an agent that refunds orders of the shop at `url`. Refunds above 100 need an approval of
 * `finance`. Refunds above 1000 are denied.
 */
export function aRefundDesk(url: string): JsonObject {
  return {
    name: 'refund-desk',
    description: 'Refunds orders.',
    input: {
      type: 'object',
      required: ['order'],
      properties: { order: { type: 'string', title: 'Order number' }, note: { type: 'string' } },
    },
    tools: [
      {
        name: 'shop',
        type: 'http',
        base_url: url,
        operations: [
          { name: 'order', method: 'GET', path: '/orders/{id}' },
          { name: 'refund', method: 'POST', path: '/orders/{id}/refunds' },
        ],
      },
    ],
    policies: [
      {
        name: 'big-refund',
        when: 'tool.name == "shop.refund" && request.amount > 100.0',
        action: 'require_approval',
        approval: 'finance',
      },
      {
        name: 'no-fortune',
        when: 'tool.name == "shop.refund" && request.amount > 1000.0',
        action: 'deny',
        message: 'Refunds above 1000 are made by hand.',
      },
    ],
    approvals: { finance: { approvers: ['finance'], timeout: '24h', on_timeout: 'fail' } },
    steps: [
      { id: 'order', tool: 'shop.order', with: { id: '${{ input.order }}' } },
      {
        id: 'refund',
        tool: 'shop.refund',
        with: { id: '${{ input.order }}', amount: '${{ steps.order.output.total }}' },
      },
      { id: 'result', output: { done: true } },
    ],
  };
}
