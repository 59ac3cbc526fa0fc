import { secretReferences, withHiddenRestored, withoutSecrets, withSecrets } from './secret-references.js';

const CONFIG = {
  dsn: '${{ secrets.DSN }}',
  auth: { secret: '${{secrets.KEY}}', type: 'bearer' },
  query: 'select ${{ secrets.DSN }}',
};

describe('secrets of a configuration', () => {
  it('are named with their places', () => {
    expect(secretReferences(CONFIG, '/config')).toEqual([
      { name: 'DSN', pointer: '/config/dsn' },
      { name: 'KEY', pointer: '/config/auth/secret' },
    ]);
  });

  it('are hidden where it is shown, and put in where it is used', () => {
    expect(withoutSecrets(CONFIG)).toEqual({ ...CONFIG, dsn: '***', auth: { secret: '***', type: 'bearer' } });
    const values = new Map([['DSN', 'postgres://'], ['KEY', 'k']]); // prettier-ignore
    expect(withSecrets(CONFIG, values)).toEqual({
      ...CONFIG,
      dsn: 'postgres://',
      auth: { secret: 'k', type: 'bearer' },
    });
  });

  it('stay as they were where what was hidden is sent back', () => {
    expect(withHiddenRestored({ dsn: '***', auth: { secret: '***' }, query: '***' }, CONFIG)).toEqual({
      dsn: CONFIG.dsn,
      auth: { secret: CONFIG.auth.secret },
      query: '***',
    });
  });
});
