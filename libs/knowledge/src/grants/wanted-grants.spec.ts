import { readWantedGrants } from './wanted-grants.js';

describe('readWantedGrants', () => {
  const principals = (channels: string[], users: string[] = []) =>
    readWantedGrants({ users, groups: [], channels, agents: [] }, new Set()).map(({ principal }) => principal);

  it('lower-cases the addresses of users and mailboxes', () => {
    expect(principals(['email:Refunds@Example.com', 'EMAIL:refunds@example.com'], ['Ann@Example.com'])).toEqual([
      'ann@example.com',
      'email:refunds@example.com',
    ]);
  });

  it('keeps the ids of other channels', () => {
    expect(principals(['slack:C0123'])).toEqual(['slack:C0123']);
    expect(() => principals(['slack'])).toThrow('is not a channel');
  });
});
