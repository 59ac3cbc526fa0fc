import { secretReferences, withHiddenRestored, withoutSecrets, withSecrets } from './secret-references.js';

const CONFIG = {
  dsn: '${{ secrets.DSN }}',
  auth: { secret: '${{secrets.KEY}}', type: 'bearer' },
  query: 'select ${{ secrets.DSN }}',
};

describe('secrets of a configuration', () => {
  it('are listed with their pointers', () => {
    expect(secretReferences(CONFIG, '/config')).toEqual([
      { name: 'DSN', pointer: '/config/dsn' },
      { name: 'KEY', pointer: '/config/auth/secret' },
    ]);
  });

  it('are hidden in the shown configuration and filled in for a sync', () => {
    expect(withoutSecrets(CONFIG)).toEqual({ ...CONFIG, dsn: '***', auth: { secret: '***', type: 'bearer' } });
    const values = new Map(Object.entries({ DSN: 'postgres://', KEY: 'k' }));
    expect(withSecrets(CONFIG, values)).toEqual({
      ...CONFIG,
      dsn: 'postgres://',
      auth: { secret: 'k', type: 'bearer' },
    });
  });

  it('keep their references if a request sends the hidden text back', () => {
    expect(withHiddenRestored({ dsn: '***', auth: { secret: '***' }, query: '***' }, CONFIG)).toEqual({
      dsn: CONFIG.dsn,
      auth: { secret: CONFIG.auth.secret },
      query: '***',
    });
  });
});
