import { parseSearch, stringifySearch } from './search.js';

describe('the query of an address', () => {
  it('keeps numbers and lists as they are written', () => {
    expect(parseSearch('?version=3&status=failed,running&label=a%3Db&label=c%3Dd')).toEqual({
      version: '3',
      status: 'failed,running',
      label: ['a=b', 'c=d'],
    });
  });

  it('is written as it was read, without values that are absent', () => {
    expect(stringifySearch({ status: 'failed,running', label: ['a=b', 'c=d'], agent: undefined })).toBe(
      '?status=failed,running&label=a%3Db&label=c%3Dd',
    );
    expect(stringifySearch({})).toBe('');
  });
});
