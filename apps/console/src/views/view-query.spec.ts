import { parseSearch } from '../data/search.js';
import { viewQuery } from './view-query.js';

describe('the query of a saved view', () => {
  it('is equal for equal filters, and leaves out paging', () => {
    const query = viewQuery({ status: ['failed', 'cancelled'], agent: 'agt_1', q: '', cursor: 'x', since: undefined });
    expect(query).toBe('agent=agt_1&status=failed&status=cancelled');
    expect(viewQuery({ agent: 'agt_1', status: ['failed', 'cancelled'] })).toBe(query);
    expect(viewQuery({})).toBe('');
  });

  it('leads back to the filters, also of texts with spaces', () => {
    const search = { label: ['team=a & b', 'x=y'], q: 'order 1002' };
    expect(viewQuery(search)).not.toMatch(/\s/);
    expect(parseSearch(viewQuery(search))).toEqual(search);
  });
});
