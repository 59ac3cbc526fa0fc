import { parseDefinition } from '../index.js';
import { LIMITS } from '../testing/limits.js';

function mistakeIn(text: string) {
  const parsed = parseDefinition(text, 'yaml', LIMITS);
  if (parsed.ok) return undefined;
  const [{ line, column, suggestion } = {}] = parsed.errors;
  return { code: parsed.code, at: `${line}:${column}`, suggestion };
}

describe('a mistake in the YAML of a definition', () => {
  it.each([
    ['a list that is not closed', 'name: x\nsteps: [', '2:9', 'Add the `]`, or indent the lines.'],
    [
      'an object that is not closed',
      'name: x\ninput: { type: object\nsteps: []',
      '3:1',
      'Add the `}`, or indent the lines.',
    ],
    [
      'a list in an object that is not closed',
      'name: x\ninput: { required: [a }',
      '2:23',
      'Add the `]`, or indent the lines.',
    ],
    [
      'an object of a list that is not closed',
      'steps:\n  - { id: a\n  - { id: b }',
      '3:3',
      'Add the `}`, or indent the lines.',
    ],
    ['brackets whose lines are not indented', 'steps: [\n{ id: a }\n]', '2:1', 'Add the `]`, or indent the lines.'],
    [
      'a document that is one unclosed object',
      '{"name": "x", "steps": []',
      '1:26',
      'Check for a missing `:` after a key, a missing comma, closing quote or bracket.',
    ],
    [
      'inconsistent indentation',
      'input:\n   type: object\n  required: []',
      '3:1',
      'Indent all lines of the same level by the same number of spaces.',
    ],
    ['a tab', 'steps:\n\t- { id: a }', '2:1', 'Use spaces.'],
    ['a quote that is not closed', 'name: "x', '1:9', 'Add the closing quote.'],
  ])('is reported with its place: %s', (_, text, at, suggestion) => {
    expect(mistakeIn(text)).toEqual({ code: 'invalid_yaml', at, suggestion });
  });

  it.each([
    ['- { id: each, for_each: ${{ input.items }} }', 'Put the expression in quotes: `"${{ … }}"`.'],
    ['- { id: a, output: {{ input.x }} }', 'Write an expression as `"${{ … }}"`, in quotes.'],
    ['- { id: a, assert: [1, 2].size() == 2 }', "Put the expression in quotes: `assert: '…'`."],
    ['- { id: a, if: has(input.a) ? input.a : "x: y", output: 1 }', "Put the expression in quotes: `if: '…'`."],
  ])('suggests quotes for the expression in %s', (step, suggestion) => {
    expect(mistakeIn(`name: x\nsteps:\n${step}`)).toMatchObject({ code: 'invalid_yaml', suggestion });
  });

  it('suggests quotes if a comma ends an expression', () => {
    const parsed = parseDefinition(
      'name: x\nsteps:\n- { id: a, if: input.tags.exists(t, t == "x"), output: 1 }',
      'yaml',
      LIMITS,
    );
    expect(parsed.ok ? [] : parsed.errors.map(({ suggestion }) => suggestion)).toEqual([
      'Add the closing bracket. If the expression contains a comma and is inside `{ }` or `[ ]` of YAML, put it in quotes, because YAML ends an unquoted value at a comma.',
      'If this key is part of an expression that contains a comma, put the whole expression in quotes.',
    ]);
  });

  it.each([
    ['\u0007', 'U+0007'],
    ['\u001b', 'U+001B'],
    ['\u007f', 'U+007F'],
    ['\u0085', undefined],
    ['\t', undefined],
  ])('names the control character %j: %s', (character, name) => {
    const parsed = parseDefinition(`name: x\ndescription: "a${character}b"\nsteps: [{ id: a, output: 1 }]`, 'yaml', LIMITS);
    const expected = name && `Line 2, column 16: Text must not contain control characters; this one is ${name}.`;
    expect(parsed.ok ? undefined : parsed.detail.split(' Remove')[0]).toBe(expected);
  }); // prettier-ignore

  it('has the right line if lines end with carriage returns alone', () => {
    expect(mistakeIn('name: x\rsteps:\r- { id: a, outputt: 1 }\r')).toMatchObject({
      code: 'definition_invalid',
      at: '3:12',
    });
    const lines = 'name: x\rsteps:\r- { id: a, output: 1 }\r';
    expect(parseDefinition(lines, 'yaml', LIMITS)).toMatchObject({ ok: true, definition: { name: 'x' } });
  });
});
