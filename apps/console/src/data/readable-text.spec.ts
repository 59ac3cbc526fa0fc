import { editableText, readableText } from './readable-text.js';

describe('the readable text of a definition', () => {
  it('has a line for each member of a line of JSON', () => {
    expect(readableText('{"name":"a","steps":[]}\n')).toBe('{\n  "name": "a",\n  "steps": []\n}');
  });

  it.each(['name: a\nsteps: []\n', '{ "name":\n  "a" }', '{ name: a }'])('leaves %j alone', (text) => {
    expect(readableText(text)).toBe(text);
  });
});

describe('the text of a definition in the editor', () => {
  it('has a line for each member, if nothing is lost', () => {
    expect(editableText('{"name":"a"}\n')).toBe('{\n  "name": "a"\n}');
    expect(editableText('name: a\n')).toBe('name: a\n');
  });

  it.each(['{"limit":12345678901234567890}', '{"name":"a","name":"b"}'])('leaves %j alone', (text) => {
    expect(editableText(text)).toBe(text);
  });
});
