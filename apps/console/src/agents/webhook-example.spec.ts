import { exampleBody } from './webhook-example.js';

const bodyOf = (trigger: object) =>
  exampleBody({ triggers: [{ id: 'other' }, { id: 'shop', ...trigger }] }, 'shop', { order: '<Order number>' });

describe('the example of a webhook body', () => {
  it('has the values that the trigger reads, and passes its filter', () => {
    const map = { order: '${{ body.data.order.id }}', note: '${{ body.note }}', text: 'Order ${{ body.nr }}' };
    expect(bodyOf({ map, filter: 'body.kind == "refund" && body.data.live == "yes"' })).toEqual({
      data: { order: { id: '<Order number>' }, live: 'yes' },
      note: '<note>',
      kind: 'refund',
    });
  });

  it('is the input if the trigger has no map', () => {
    expect(bodyOf({})).toEqual({ order: '<Order number>' });
    expect(bodyOf({ map: { order: '${{ trigger.id }}' } })).toEqual({});
  });
});
