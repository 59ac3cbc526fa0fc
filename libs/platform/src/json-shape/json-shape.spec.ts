import { DomainError, type JsonValue } from '@app/kernel';
import { jsonShape } from './json-shape.js';

const SITE = jsonShape({
  type: 'object',
  additionalProperties: false,
  required: ['start_urls'],
  properties: {
    start_urls: { type: 'array', items: { type: 'string' } },
    include_paths: { type: 'array', items: { type: 'string', pattern: '^/' } },
    max_pages: { type: 'integer', minimum: 1 },
  },
});

describe('a value that a shape refuses', () => {
  const refusal = (value: JsonValue): unknown => {
    try {
      return SITE.read(value, '/config');
    } catch (error) {
      return error instanceof DomainError ? error.errors : error;
    }
  };

  it('is named as a field, an element of a list or the whole value', () => {
    const start_urls = ['https://example.com'];
    expect(refusal({ start_urls, include_paths: ['/a', 'docs'] })).toEqual([
      { pointer: '/config/include_paths/1', detail: 'include_paths[1] must match pattern "^/".' },
    ]);
    expect(refusal({ start_urls, max_pages: 0 })).toEqual([
      { pointer: '/config/max_pages', detail: 'max_pages must be >= 1.' },
    ]);
    expect(refusal('site')).toEqual([{ pointer: '/config', detail: 'The value must be an object.' }]);
  });
});
