import { testCases } from './test-cases.js';

describe('the cases of a test run', () => {
  it('are the evaluation cases without members that only an evaluation can use', () => {
    const cases = [
      { name: 'small', input: { order: '1' }, mock: { 'shop.order': { total: 40 } }, assert: [] },
      { name: 'plain', input: { order: '2' } },
      { name: 'asked', input: {}, answers: { question: { yes: true } } },
      { name: 'kept', input: {}, state: { seen: 1 } },
      { name: 'twice', input: {}, mock_each: { 'shop.order': [{}] } },
    ];
    expect(testCases({ evaluation: { cases } })).toEqual([
      { name: 'small', input: { order: '1' }, mock: { 'shop.order': { total: 40 } } },
      { name: 'plain', input: { order: '2' }, mock: {} },
    ]);
  });

  it('are none in a text that is not finished', () => {
    for (const definition of [undefined, null, 'name:', {}, { evaluation: null }, { evaluation: { cases: [null] } }])
      expect(testCases(definition)).toEqual([]);
  });
});
