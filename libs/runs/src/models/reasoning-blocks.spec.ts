import { StreamedAnswer, withoutReasoning } from './reasoning-blocks.js';

describe('the reasoning that a model writes into its response', () => {
  it.each([
    [
      'one block',
      '<think>The user wants {"a":1}.</think>\n\n{"topic":"refund"}',
      '{"topic":"refund"}',
      'The user wants {"a":1}.',
    ],
    ['several blocks', '<think>a</think>\n<think>b</think>\nHello', 'Hello', 'a\nb'],
    ['blocks between parts of the answer', '<think>a</think>One <think>b</think>two', 'One two', 'a\nb'],
    ['the other name of the tag', '<thinking>\na\n</thinking>Hello', 'Hello', 'a'],
    ['an empty block', '<think>\n\n</think>\n\nHello', 'Hello', ''],
    ['a block that is not closed', ' <think>first, then', '', 'first, then'],
    ['only the closing tag', 'first, then\n</think>\n\nHello', 'Hello', 'first, then'],
  ])('is no part of the answer: %s', (_, response, text, reasoning) => {
    expect(withoutReasoning(response)).toEqual({ text, reasoning });
  });

  it.each([
    ['a tag in a sentence', 'Put it between <think> and </think>.'],
    ['a block in the middle', 'Here it is: <think>a</think>'],
    ['code', '```xml\n<think>\na\n</think>\n```'],
    ['a closing tag in code', '```xml\n</think>\n```'],
    ['JSON with the tag', '{"tag":"<think>a</think>"}'],
    ['white space', '  \n'],
  ])('is not what the answer only mentions: %s', (_, response) => {
    expect(withoutReasoning(response)).toEqual({ text: response, reasoning: '' });
  });

  it('leaves code alone in a response that begins with reasoning', () => {
    const answer = 'Write:\n```xml\n<think>a</think>\n```\nor `<think>b</think>`.';
    expect(withoutReasoning(`<think>r</think>${answer}`)).toEqual({ text: answer, reasoning: 'r' });
  });

  it.each([
    ['<think>a < b</think>\n<think>c</think>Hello <think>', 'Hello <think>'],
    ['<thinking>a</thinking>Hello', 'Hello'],
    ['<thin air', '<thin air'],
    ['  Hello', '  Hello'],
    ['<think>not closed', ''],
  ])('is not streamed, however the response is split: %s', (response, text) => {
    for (const length of [1, 3, response.length]) {
      const answer = new StreamedAnswer();
      const pieces = response.match(new RegExp(`[\\s\\S]{1,${length}}`, 'g')) ?? [];
      expect(pieces.map((piece) => answer.add(piece)).join('')).toBe(text);
    }
  });
});
