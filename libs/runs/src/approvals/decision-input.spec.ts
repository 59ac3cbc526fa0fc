import { checkedAnswer } from './decision-input.js';

const FORM = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'string' },
    gift: { type: 'boolean', default: false },
    to: { type: 'object', properties: { country: { type: 'string', default: 'DE' } } },
  },
};

describe('the answer to a question', () => {
  it('gets the defaults of the form where members are missing', () => {
    expect(checkedAnswer(FORM, { size: 'm' })).toEqual({ size: 'm', gift: false });
    expect(checkedAnswer(FORM, { size: 'm', gift: true, to: {} })).toEqual({
      size: 'm',
      gift: true,
      to: { country: 'DE' },
    });
  });

  it('gets defaults through references and combined schemas, but not below alternatives', () => {
    const gift = { type: 'object', properties: { wrap: { type: 'string', default: 'red' } } };
    const form = {
      type: 'object',
      $defs: { gift },
      allOf: [{ properties: { gift: { $ref: '#/$defs/gift' } } }],
      anyOf: [{ properties: { note: { default: 'none' } } }],
    };
    expect(checkedAnswer(form, { gift: {} })).toEqual({ gift: { wrap: 'red' } });
  });

  it.each([
    [{ size: 1 }, '/answer/size'],
    ['m', '/answer'],
  ])('is rejected with the place if it is %j', (answer, pointer) => {
    expect(() => checkedAnswer(FORM, answer)).toThrow(
      expect.objectContaining({ code: 'input_invalid', errors: [expect.objectContaining({ pointer })] }),
    );
  });
});
