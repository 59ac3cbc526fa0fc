import { neighboursOf } from './last-list.js';

describe('the neighbours of a run', () => {
  it('are those of the list', () => {
    expect(neighboursOf('b', ['a', 'b', 'c'])).toEqual({ previous: 'a', next: 'c' });
    expect(neighboursOf('a', ['a', 'b'])).toEqual({ previous: undefined, next: 'b' });
  });

  it('are none if the run is not in the list', () => {
    expect(neighboursOf('x', ['a', 'b'])).toEqual({});
  });
});
