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
      'a list in it that is not closed',
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
      'an object that is all of it and not closed',
      '{"name": "x", "steps": []',
      '1:26',
      'Is a `:` after a key, a comma or a closing quote or bracket missing?',
    ],
    [
      'another indentation',
      'input:\n   type: object\n  required: []',
      '3:1',
      'Give lines of one level the same number of spaces.',
    ],
    ['a tab', 'steps:\n\t- { id: a }', '2:1', 'Use spaces.'],
    ['a quote that is not closed', 'name: "x', '1:9', undefined],
  ])('is told with its place: %s', (_, text, at, suggestion) => {
    expect(mistakeIn(text)).toEqual({ code: 'invalid_yaml', at, suggestion });
  });
});
