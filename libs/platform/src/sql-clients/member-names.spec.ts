import { memberNames } from './sql-call.js';

describe('the members of a row', () => {
  it.each([
    [
      ['id', 'name'],
      ['id', 'name'],
    ],
    [
      ['id', 'id'],
      ['id_1', 'id'],
    ],
    [
      ['id', 'a', 'id', 'id'],
      ['id_1', 'a', 'id_2', 'id'],
    ],
    [
      ['id', 'id_1', 'id'],
      ['id_2', 'id_1', 'id'],
    ],
    [
      ['?column?', '?column?'],
      ['?column?_1', '?column?'],
    ],
  ])('have a name for each column: %j', (columns, names) => {
    expect(memberNames(columns)).toEqual(names);
  });
});
