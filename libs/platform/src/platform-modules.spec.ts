import { Test } from '@nestjs/testing';
import { Config, ConfigModule, ConfigurationError, type EnvironmentSource } from '@app/platform/config';
import { cryptoConfig, CryptoModule, SealedBox, SigningKey } from '@app/platform/crypto';
import { EgressClient, egressConfig, EgressModule } from '@app/platform/egress';
import { createLogger, LOGGER, Metrics, ObservabilityModule } from '@app/platform/observability';
import { workerConfig } from '@app/platform/periodic';

const KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
const OLD_KEY = '202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f';
const CELL = { workspace: 'wsp_1', table: 'secrets', column: 'value', row: 'a' };

function application(source: EnvironmentSource) {
  const config = Config.load([cryptoConfig, egressConfig, workerConfig], source);
  const logger = createLogger({ level: 'silent', format: 'json', name: 'spec' });
  const modules = [ConfigModule.of(config), ObservabilityModule.of(logger), CryptoModule, EgressModule];
  return { config, logger, compiled: Test.createTestingModule({ imports: modules }).compile() };
}

describe('the modules of the platform', () => {
  it('give every service what the environment configures', async () => {
    const { config, logger, compiled } = application({
      DATABASE_URL: 'postgres://localhost/x',
      ENCRYPTION_KEY: KEY,
      ENCRYPTION_KEYS_PREVIOUS: OLD_KEY,
      EGRESS_ALLOW: '10.0.0.0/8:5432',
    });
    const app = await compiled;
    expect(app.get(egressConfig.KEY)).toBe(config.get(egressConfig));
    expect(app.get(LOGGER)).toBe(logger);
    expect(app.get(Metrics)).toBeInstanceOf(Metrics);
    const old = new SealedBox([Buffer.from(OLD_KEY, 'hex')]);
    expect(app.get(SealedBox).openText(old.seal('kept', CELL), CELL)).toBe('kept');
    expect(app.get(SigningKey).hmac('cursor', 'x')).toEqual(
      new SigningKey([Buffer.from(KEY, 'hex')]).hmac('cursor', 'x'),
    );
    await expect(app.get(EgressClient).guard.resolve('10.1.2.3', 5432)).resolves.toHaveLength(1);
    await app.close();
  });

  it('do not start without an encryption key', async () => {
    await expect(application({ DATABASE_URL: 'postgres://localhost/x' }).compiled).rejects.toThrow(ConfigurationError);
  });
});
