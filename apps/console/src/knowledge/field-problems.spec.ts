import { problemAt } from './field-problems.js';

describe('the refusal of a field', () => {
  const places = [
    { pointer: '/users/1', detail: '"bob" is not an e-mail address.' },
    { pointer: '/groups', detail: 'groups is too long.' },
    { pointer: '/headers/Accept', detail: 'Accept is not text.' },
  ];

  it('names the line of an entry, counted with empty lines', () => {
    expect(problemAt(places, '/users', 'ann@example.com\n\nbob')).toBe('Line 3: "bob" is not an e-mail address.');
  });

  it('is that of the field itself or of a member, and of no other field', () => {
    expect(problemAt(places, '/groups')).toBe('groups is too long.');
    expect(problemAt(places, '/headers', 'Accept: 1')).toBe('Accept is not text.');
    expect(problemAt(places, '/user')).toBeUndefined();
  });
});
