import { releaseName } from './release-name.js';

describe('the name of a release', () => {
  it('says whether the version is older than the version in production', () => {
    expect(releaseName({ production_version: 2 }, 3)).toBe('Promote version 3');
    expect(releaseName({ production_version: 2 }, 1)).toBe('Roll back to version 1');
  });
});
