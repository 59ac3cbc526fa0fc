import { grantsWanted } from './wanted-grants.js';

describe('the grants that are wanted', () => {
  const principals = (channels: string[], users: string[] = []) =>
    grantsWanted({ users, groups: [], channels, agents: [] }, new Set()).map(({ principal }) => principal);

  it('name a mailbox by its address, whose case does not count, as that of a user does not', () => {
    expect(principals(['email:Refunds@Example.com', 'EMAIL:refunds@example.com'], ['Ann@Example.com'])).toEqual([
      'ann@example.com',
      'email:refunds@example.com',
    ]);
  });

  it('leave the ids of other channels as they are', () => {
    expect(principals(['slack:C0123'])).toEqual(['slack:C0123']);
    expect(() => principals(['slack'])).toThrow('is not a channel');
  });
});
