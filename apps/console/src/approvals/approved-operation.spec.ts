import { approvedOperation } from './approved-operation.js';

describe('the operation of an approval', () => {
  const definition = {
    tools: [
      { name: 'mail', type: 'mcp' },
      {
        name: 'shop',
        operations: [
          { name: 'order' },
          {
            name: 'invoice',
            request: { properties: { scan: { file: { max: '1KiB' } }, more: { items: { file: {} } }, note: {} } },
          },
          {
            name: 'refund',
            description: 'Refund an order. Needs its number.',
            request: { properties: { id: { title: 'Order number' }, amount: { type: 'number' } } },
          },
        ],
      },
    ],
    policies: [
      { name: 'big', when: 'request.amount > 100.0', action: 'require_approval', approval: 'finance' },
      { name: 'huge', when: 'request.amount > 1000.0', action: 'deny', message: 'Done by hand.' },
    ],
  };

  it('has the titles of its request, and the policies of the definition', () => {
    const { summary, titles, policies } = approvedOperation(definition, 'shop.refund');
    expect(summary).toBe('Refund an order');
    expect([...titles]).toEqual([['id', 'Order number']]);
    expect(policies).toEqual([
      { name: 'big', when: 'request.amount > 100.0', action: 'require_approval' },
      { name: 'huge', when: 'request.amount > 1000.0', action: 'deny', message: 'Done by hand.' },
    ]);
  });

  it('knows what its files may be', () => {
    expect([...approvedOperation(definition, 'shop.invoice').rules]).toEqual([
      ['scan', { accept: [], max: 1024 }],
      ['more', { accept: [], max: null }],
    ]);
  });

  it('has no titles where the definition describes no request', () => {
    expect(approvedOperation(definition, 'mail.send').titles.size).toBe(0);
    expect(approvedOperation({}, null)).toEqual({ titles: new Map(), rules: new Map(), policies: [] });
  });
});
