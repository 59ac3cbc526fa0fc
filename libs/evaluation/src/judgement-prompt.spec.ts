import { readJudgement } from './judgement-prompt.js';

describe('the judgement of a model', () => {
  it.each([
    ['{"score": 0.5, "reason": "Half."}', { score: 0.5, message: 'Half.' }],
    ['```json\n{"score": 1}\n```', { score: 1, message: '' }],
    [`{"score": 0, "reason": "${'x'.repeat(900)}"}`, { score: 0, message: 'x'.repeat(500) }],
  ])('is read from %s', (text, judgement) => {
    expect(readJudgement(text)).toEqual(judgement);
  });

  it.each(['It is good.', '{"score": 2}', '{"score": "1"}', '[1]', '{"reason": "x"}', ''])('is not %s', (text) => {
    expect(readJudgement(text)).toHaveProperty('problem');
  });
});
