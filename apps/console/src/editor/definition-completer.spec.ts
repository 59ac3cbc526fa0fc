import type { CatalogModel } from '../data/api.js';
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

const aModel = (provider: string, name: string, more: Partial<CatalogModel> = {}): CatalogModel => ({
  provider,
  name,
  input: ['text'],
  structured_output: false,
  effort: null,
  prices: null,
  ends_at: null,
  used_by: 0,
  ...more,
});

describe('the completer of models', () => {
  const models = [
    aModel('a', 'm-1', { effort: ['none', 'low'], used_by: 2 }),
    aModel('b', 'n-1', { ends_at: '2027-04-01' }),
    aModel('b', 'n-2'),
  ];
  const offered = (text: string) => {
    const offset = text.indexOf('|');
    const { items = [] } = suggestionsAt(SCHEMA, text.replace('|', ''), offset, models) ?? {};
    return items.map(({ label }) => label);
  };

  it('offers the models of the catalogue as one text, also for fallbacks', () => {
    expect(offered('model: |')).toEqual(['a/m-1', 'b/n-1', 'b/n-2']);
    expect(offered('model:\n  name: m-1\n  fallback:\n    - |')).toEqual(['a/m-1', 'b/n-1', 'b/n-2']);
  });

  it('offers providers, and the names of the chosen provider', () => {
    expect(offered('model:\n  provider: |')).toEqual(['a', 'b']);
    expect(offered('model:\n  provider: b\n  name: |')).toEqual(['n-1', 'n-2']);
    expect(offered('model:\n  name: |')).toEqual(['m-1', 'n-1', 'n-2']);
  });

  it('offers the effort levels of the chosen model', () => {
    const text = (name: string): string => `model:\n  provider: a\n  name: ${name}\n  params:\n    effort: |\n`;
    expect(offered(text('m-1'))).toEqual(['none', 'low']);
    expect(offered(text('other'))).toEqual([]);
  });

  it('says that a model is in use or ends', () => {
    const [first, second] = suggestionsAt(SCHEMA, 'model: ', 7, models)?.items ?? [];
    expect([first?.detail, first?.info]).toEqual(['in use', '']);
    expect([second?.detail, second?.info]).toEqual(['', 'The provider switches it off on 2027-04-01.']);
  });
});

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
