import { readableText } from './readable-text.js';

describe('the readable text of a definition', () => {
  it('has a line for each member of a line of JSON', () => {
    expect(readableText('{"name":"a","steps":[]}\n')).toBe('{\n  "name": "a",\n  "steps": []\n}');
  });

  it.each(['name: a\nsteps: []\n', '{ "name":\n  "a" }', '{ name: a }'])('leaves %j alone', (text) => {
    expect(readableText(text)).toBe(text);
  });
});
