import { type DefinitionSchema, descriptionOf, suggestionsAt } from './definition-completer.js';

const SCHEMA: DefinitionSchema = {
  required: ['name'],
  properties: {
    description: { type: 'string', description: 'What the agent does.' },
    name: { type: 'string', description: 'Unique among the agents of the workspace.' },
    policies: { type: 'array', items: { properties: { when: {}, action: { enum: ['allow', 'deny'] } } } },
    policy_defaults: { type: 'object', properties: { read: { enum: ['allow', 'deny'], default: 'allow' } } },
    steps: { type: 'array', items: { $ref: '#/$defs/step' } },
    approvals: { type: 'object', additionalProperties: { properties: { approvers: { type: 'array' } } } },
    instructions: { type: 'string' },
  },
  $defs: {
    step: {
      properties: { tool: { description: 'Calls a tool.' }, wait: { description: 'Waits.' } },
      allOf: [
        {
          if: { required: ['tool'] },
          then: {
            properties: { tool: { type: 'string', description: 'Calls an operation.' }, with: { type: 'object' } },
          },
        },
        { if: { required: ['wait'] }, then: { properties: { wait: { properties: { for: { type: 'string' } } } } } },
      ],
    },
  },
};

/** Returns the labels of the suggestions. `|` marks the cursor in the text. */
function labels(text: string): string[] {
  const offset = text.indexOf('|');
  return suggestionsAt(SCHEMA, text.replace('|', ''), offset)?.items.map(({ label }) => label) ?? [];
}

describe('the completer of definitions', () => {
  it('offers the members that are not there yet, the required ones first', () => {
    expect(labels('|')[0]).toBe('name');
    expect(labels('name: x\ndesc|')).not.toContain('name');
    expect(labels('de|\nname: x\n')).toContain('description');
  });

  it('replaces what is written of the name', () => {
    const text = 'name: x\npol';
    const suggestions = suggestionsAt(SCHEMA, text, text.length);
    expect(suggestions?.from).toBe(8);
    expect(suggestions?.items.find(({ label }) => label === 'policies')?.insert).toBe('policies: ');
  });

  it('knows the members of objects, of items and of named entries', () => {
    expect(labels('policy_defaults:\n  |')).toEqual(['read']);
    expect(labels('policies:\n  - |')).toEqual(['when', 'action']);
    expect(labels('policies:\n- when: x\n  |')).toEqual(['action']);
    expect(labels('approvals:\n  finance:\n    |')).toEqual(['approvers']);
  });

  it('offers the members of the kind that is chosen', () => {
    expect(labels('steps:\n  - |')).toEqual(['tool', 'wait']);
    expect(labels('steps:\n  - tool: a.b\n    |')).toEqual(['wait', 'with']);
    expect(labels('steps:\n  - tool: a.b\n  - wait:\n      |')).toEqual(['for']);
  });

  it('offers the values of a choice', () => {
    expect(labels('policies:\n  - action: |')).toEqual(['allow', 'deny']);
    expect(labels('policies:\n  - action: de|')).toEqual(['allow', 'deny']);
  });

  it('offers nothing in texts, comments and flow collections', () => {
    expect(labels('instructions: >\n  Be |')).toEqual([]);
    expect(labels('# |')).toEqual([]);
    expect(labels('policy_defaults: { |')).toEqual([]);
    expect(labels('description: |')).toEqual([]);
  });

  it('describes a member with its values and its default', () => {
    expect(descriptionOf(SCHEMA, [], 'name')).toBe('Unique among the agents of the workspace. (string)');
    expect(descriptionOf(SCHEMA, ['policy_defaults'], 'read')).toBe('(allow | deny, default "allow")');
    expect(descriptionOf(SCHEMA, ['steps', null], 'tool')).toBe('Calls an operation. (string)');
    expect(descriptionOf(SCHEMA, [], 'unknown')).toBeUndefined();
  });
});
