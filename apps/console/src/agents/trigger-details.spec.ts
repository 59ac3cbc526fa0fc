import { triggerDetails } from './trigger-details.js';

describe('the details of a trigger', () => {
  it('say who may call a webhook, whether its caller waits, and what a poll calls', () => {
    const details = triggerDetails({
      triggers: [
        { id: 'plain', type: 'webhook' },
        {
          id: 'slack',
          type: 'webhook',
          auth: { scheme: 'slack', secret: '${{ secrets.SLACK }}' },
          respond: { wait: '3s' },
        },
        { id: 'feed', type: 'poll', tool: 'shop.orders', every: '5m' },
      ],
    });
    expect([...details]).toEqual([
      ['plain', []],
      [
        'slack',
        [
          'Also accepts deliveries authenticated by the scheme slack with the secret SLACK.',
          'The caller waits up to 3 seconds for the output of the run.',
        ],
      ],
      ['feed', ['Calls shop.orders every 5 minutes.']],
    ]);
    expect(triggerDetails(undefined).size).toBe(0);
  });
});
