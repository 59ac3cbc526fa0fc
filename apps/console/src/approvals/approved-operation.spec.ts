import { approvedOperation } from './approved-operation.js';

describe('the operation of an approval', () => {
  const definition = {
    tools: [
      { name: 'mail', type: 'mcp' },
      {
        name: 'shop',
        operations: [
          { name: 'order' },
          { name: 'refund', request: { properties: { id: { title: 'Order number' }, amount: { type: 'number' } } } },
        ],
      },
    ],
    policies: [{ name: 'big', when: 'request.amount > 100.0', action: 'require_approval', approval: 'finance' }],
  };

  it('has the titles of its request, and the policies of the definition', () => {
    const { titles, policies } = approvedOperation(definition, 'shop.refund');
    expect([...titles]).toEqual([['id', 'Order number']]);
    expect(policies).toEqual([{ name: 'big', when: 'request.amount > 100.0', action: 'require_approval' }]);
  });

  it('has no titles where the definition describes no request', () => {
    expect(approvedOperation(definition, 'mail.send').titles.size).toBe(0);
    expect(approvedOperation({}, null)).toEqual({ titles: new Map(), policies: [] });
  });
});
