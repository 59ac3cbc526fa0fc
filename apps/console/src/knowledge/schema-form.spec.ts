import { type FormField, formOf, isGroup, patchOfForm, textsOf, valueOfForm } from './schema-form.js';

const SCHEMA = {
  type: 'object',
  required: ['start_urls'],
  properties: {
    start_urls: { type: 'array', items: { type: 'string' } },
    max_pages: { type: 'integer', default: 10_000, description: 'Most pages of the site.' },
    respect_robots: { type: 'boolean', default: true },
    branch: { type: ['string', 'null'], default: null, title: 'Branch' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    auth: {
      type: 'object',
      required: ['type'],
      properties: {
        type: { enum: ['none', 'bearer'] },
        secret: { type: 'string', pattern: '^\\$\\{\\{\\s*secrets\\.' },
      },
    },
  },
};

describe('the form of a schema', () => {
  const form = formOf(SCHEMA);
  const fields = form.flatMap((entry): readonly FormField[] => (isGroup(entry) ? entry.fields : [entry]));

  it('has a field for each property, with the title or the name, and what a person has to know', () => {
    expect(fields.map(({ pointer, label, kind, hint }) => [pointer, label, kind, hint])).toEqual([
      ['/start_urls', 'Start urls', 'texts', 'One entry a line. Required.'],
      ['/max_pages', 'Max pages', 'number', 'Most pages of the site. Default: 10,000.'],
      ['/respect_robots', 'Respect robots', 'switch', 'Default: on.'],
      ['/branch', 'Branch', 'text', undefined],
      ['/headers', 'Headers', 'pairs', 'One `Name: value` a line.'],
      ['/auth/type', 'Type', 'choice', 'Required.'],
      ['/auth/secret', 'Secret', 'text', 'A secret of the workspace.'],
    ]);
  });

  it('sends what was typed, and leaves out what was not', () => {
    const texts = {
      '/start_urls': 'https://a.example\n\nhttps://b.example',
      '/max_pages': 'many',
      '/respect_robots': 'false',
      '/headers': 'Accept: text/html\nX-A:b',
      '/auth/type': 'bearer',
    };
    expect(valueOfForm(form, texts)).toEqual({
      start_urls: ['https://a.example', 'https://b.example'],
      max_pages: 'many',
      respect_robots: false,
      headers: { Accept: 'text/html', 'X-A': 'b' },
      auth: { type: 'bearer' },
    });
    expect(valueOfForm(form, {})).toEqual({});
  });

  it('shows a value, and sends only what was changed in it', () => {
    const before = textsOf(form, {
      start_urls: ['https://a.example'],
      max_pages: 5,
      branch: null,
      headers: { Accept: 'text/html', 'X-A': 'b' },
      auth: { type: 'bearer', secret: '***' },
    });
    expect(before).toMatchObject({ '/start_urls': 'https://a.example', '/max_pages': '5', '/auth/secret': '***' });
    expect(patchOfForm(form, before, before)).toEqual({});
    const after = { ...before, '/max_pages': '', '/headers': 'Accept: text/plain', '/auth/type': 'none' };
    expect(patchOfForm(form, before, after)).toEqual({
      max_pages: null,
      headers: { Accept: 'text/plain', 'X-A': null },
      auth: { type: 'none' },
    });
  });
});
