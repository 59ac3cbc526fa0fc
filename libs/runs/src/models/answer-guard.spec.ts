import { AnswerGuard } from './answer-guard.js';

const LIMIT = 20_000;
const values = (count: number): string => `[${Array<string>(count).fill('1').join()}]`;

function check(text: string, isStream: boolean, size = 1_000): void {
  const guard = new AnswerGuard(isStream);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) guard.check(bytes.subarray(at, at + size));
}

describe('the guard of answers', () => {
  it.each([1, 7, 100_000])('counts the values of each event, in pieces of %i bytes', (size) => {
    for (const end of ['\n\n', '\r\n\r\n', '\r\r']) {
      expect(() => check(`data: ${values(LIMIT - 1)}${end}`.repeat(2), true, size)).not.toThrow();
      expect(() => check(`data: ${values(LIMIT + 1)}${end}`, true, size)).toThrow('more than 20000 values');
    }
  });

  it('does not take the end of a line for the end of an event', () => {
    for (const end of ['\n', '\r\n', '\r'])
      expect(() => check(`data: ${values(LIMIT / 2 + 1)}${end}`.repeat(2), true)).toThrow('more than');
  });

  it('counts no sign within a string, and sees where a string ends', () => {
    const text = JSON.stringify(`a "quoted" ${','.repeat(2 * LIMIT)} \\`);
    expect(() => check(`data: ${text}\n\n`, true)).not.toThrow();
    expect(() => check(`data: ${text}${values(LIMIT + 1)}\n\n`, true)).toThrow('more than');
    expect(() => check(`: "\ndata: ${values(LIMIT + 1)}\n\n`, true)).toThrow('more than');
  });

  it('counts an answer that is no stream as a whole', () => {
    expect(() => check(`${values(LIMIT / 2 + 1)}\n\n`.repeat(2), false)).toThrow('in its answer');
  });
});
