import { readFileSync } from 'node:fs';
import { type Config, ConfigurationError, type EnvironmentSource } from '@app/platform/config';
import { telemetryConfig } from '@app/platform/observability';
import { FEATURE_CONFIGS, loadServiceSettings, loadSettings } from './settings.js';

const RANDOM_KEY_HEX = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';

function valuesOf(config: Config): Record<string, unknown> {
  return Object.assign({}, ...FEATURE_CONFIGS.map((feature) => config.get<object>(feature))) as Record<string, unknown>;
}

function load(source: EnvironmentSource): Record<string, unknown> {
  return valuesOf(loadSettings(source));
}

function problemsOf(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message.split('\n');
    throw error;
  }
  return [];
}

describe('the settings', () => {
  it.each([
    [{}, { host: '127.0.0.1', port: 3001 }],
    [
      { HOST: '0.0.0.0', PORT: '80' },
      { host: '0.0.0.0', port: 81 },
    ],
    [{ PORT: '65535' }, { host: '127.0.0.1', port: 0 }],
    [{ PORT: '0' }, { host: '127.0.0.1', port: 0 }],
    [{ STOP_PORT: '0' }, { host: '127.0.0.1', port: 0 }],
    [
      { HOST: '0.0.0.0', STOP_PORT: '127.0.0.1:65535' },
      { host: '127.0.0.1', port: 65_535 },
    ],
    [{ STOP_PORT: '[::1]:4000' }, { host: '::1', port: 4000 }],
    [{ STOP_PORT: 'off' }, null],
  ])('put the stop listener of %j at %j', (env, address) => {
    expect(load(env).stopListener).toEqual(address);
  });

  it('has pages in the console only with a PUBLIC_URL, whose last slashes are ignored', () => {
    const consoleUrl = 'https://agents.example.com/console';
    expect(load({ PUBLIC_URL: 'https://agents.example.com/' })).toMatchObject({ consoleUrl });
    expect(load({})).toMatchObject({ consoleUrl: null });
  });

  it('has a default for everything that npm start needs', () => {
    const env = load({});
    expect(env).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      publicUrl: 'http://127.0.0.1:3000',
      workerConcurrency: 16,
      workers: 1,
      egressAllow: [],
      regions: ['local'],
      smtpListenPort: 0,
      smtpListenProtocol: 'smtp',
      smtpMaxMessageBytes: 10_485_760,
      smtpTrustedRelays: [],
      leaseMillis: 15_000,
      heartbeatMillis: 5_000,
      pollMillis: 1_000,
      startBudgetMillis: 1_000,
      databasePoolSize: 10,
      queuePrefix: 'aas',
      currency: 'EUR',
      logLevel: 'info',
      logFormat: 'json',
      definitionLimits: { bytes: 262_144, depth: 32 },
      maxInputBytes: 1_048_576,
      maxRecordedBytes: 1_048_576,
      maxUploadBytes: 52_428_800,
      idempotencyMillis: 86_400_000,
      cursorMillis: 86_400_000,
    });
    expect(env.dataDir).toBe(`${process.cwd()}/.data`);
    expect(env.databaseUrl ?? env.encryptionKey ?? env.redisUrl).toBeUndefined();
  });

  it('takes empty values as absent and ignores names it does not know', () => {
    expect(load({ PORT: '', REDIS_URL: ' ', PORTT: 'x' })).toEqual(load({}));
  });

  it('derives the intervals of a worker from its lease, and limits the start budget to a second', () => {
    expect(load({ WORKER_LEASE_MS: '300' })).toMatchObject({
      leaseMillis: 300,
      heartbeatMillis: 100,
      pollMillis: 20,
      startBudgetMillis: 100,
    });
    expect(load({ WORKER_LEASE_MS: '60000' })).toMatchObject({ heartbeatMillis: 20_000, startBudgetMillis: 1_000 });
  });

  it('gives an address that can be connected to when the api listens everywhere', () => {
    expect(load({ HOST: '0.0.0.0', PORT: '80' }).publicUrl).toBe('http://localhost:80');
    expect(load({ HOST: '::1' }).publicUrl).toBe('http://[::1]:3000');
    expect(load({ PUBLIC_URL: 'https://agents.example.com/' }).publicUrl).toBe('https://agents.example.com');
  });

  it('reads the encryption key as hexadecimal, base64 and base64url', () => {
    const key = Buffer.from(RANDOM_KEY_HEX, 'hex');
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      expect(load({ ENCRYPTION_KEY: key.toString(encoding) }).encryptionKey).toEqual(key);
    }
    expect(load({ ENCRYPTION_KEYS_PREVIOUS: `${RANDOM_KEY_HEX},${RANDOM_KEY_HEX}` }).previousEncryptionKeys).toEqual([
      key,
      key,
    ]);
  });

  it.each<[string, EnvironmentSource, RegExp]>([
    ['a port that is no number', { PORT: '80x' }, /^PORT is "80x": expected a whole number from 0 to 65535\.$/],
    ['a port out of range', { PORT: '65536' }, /^PORT is "65536"/],
    ['a stop port out of range', { STOP_PORT: '65536' }, /^STOP_PORT is "65536": expected off, a port, or host:port/],
    ['no workers at all', { WORKERS: '0' }, /^WORKERS is "0"/],
    ['a host with a space', { HOST: 'a b' }, /^HOST is "a b"/],
    ['another database', { DATABASE_URL: 'mysql://u:hunter2@h/db' }, /^DATABASE_URL has a value that is not allowed/],
    ['a Redis address without scheme', { REDIS_URL: 'localhost:6379' }, /^REDIS_URL/],
    ['a certificate without its key', { SMTP_TLS_CERT: '/mail.crt' }, /^SMTP_TLS_KEY is "": expected both/],
    ['a mail protocol that is none', { SMTP_LISTEN_PROTOCOL: 'esmtp' }, /^SMTP_LISTEN_PROTOCOL is "esmtp"/],
    ['a relay that is none', { SMTP_TRUSTED_RELAYS: 'mx.example.com; mx2' }, /^SMTP_TRUSTED_RELAYS is/],
    ['a network that is none', { EGRESS_ALLOW: '10.0.0.0/8, 10.0.0.0/33' }, /^EGRESS_ALLOW is "10.0.0.0\/33"/],
    ['a key that is too short', { ENCRYPTION_KEY: 'hunter2' }, /^ENCRYPTION_KEY has a value that is not allowed/],
    ['a placeholder key', { ENCRYPTION_KEY: '0'.repeat(64) }, /^ENCRYPTION_KEY/],
    ['two keys', { ENCRYPTION_KEY: `${RANDOM_KEY_HEX},${RANDOM_KEY_HEX}` }, /ENCRYPTION_KEYS_PREVIOUS/],
    ['an unknown log level', { LOG_LEVEL: 'loud' }, /^LOG_LEVEL is "loud": expected one of fatal, error, warn/],
    ['a currency name', { CURRENCY: 'euro' }, /^CURRENCY is "euro"/],
    ['a region with a slash', { REGIONS: 'eu/west' }, /^REGIONS is "eu\/west"/],
    [
      'a definition of a word',
      { MAX_DEFINITION_BYTES: '1000' },
      /^MAX_DEFINITION_BYTES is "1000": .* 16384 to 1048576/,
    ],
    ['a unit', { MAX_DEFINITION_BYTES: '256KiB' }, /^MAX_DEFINITION_BYTES is "256KiB"/],
    ['an input beyond expressions', { MAX_INPUT_BYTES: '4194305' }, /^MAX_INPUT_BYTES is .* 65536 to 4194304\.$/],
    ['a record of nothing', { MAX_RECORDED_BYTES: '0' }, /^MAX_RECORDED_BYTES is "0": .* 4096 to 4194304\.$/],
    ['an upload of a gigabyte', { MAX_UPLOAD_BYTES: '1073741824' }, /^MAX_UPLOAD_BYTES is .* 65536 to 104857600\.$/],
    ['cursors that never were valid', { CURSOR_HOURS: '0' }, /^CURSOR_HOURS is "0": .* 1 to 720\.$/],
    ['keys that count for ever', { IDEMPOTENCY_HOURS: '721' }, /^IDEMPOTENCY_HOURS is "721": .* 1 to 720\.$/],
    [
      'keys that outlive their runs',
      { IDEMPOTENCY_HOURS: '49', RUN_RETENTION_DAYS: '2' },
      /^IDEMPOTENCY_HOURS is "49": expected at most the value of RUN_RETENTION_DAYS \(48 hours\)\.$/,
    ],
    ['a bottomless definition', { MAX_DEFINITION_DEPTH: '129' }, /^MAX_DEFINITION_DEPTH is "129": .* 16 to 128/],
    ['a lease of nothing', { WORKER_LEASE_MS: '0' }, /^WORKER_LEASE_MS is "0": .* 10 to 3600000\.$/],
    [
      'a protocol of OTLP that is not spoken',
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      /^OTEL_EXPORTER_OTLP_PROTOCOL is/,
    ],
    ['a collector without http', { OTEL_EXPORTER_OTLP_ENDPOINT: 'hunter2:4317' }, /^OTEL_EXPORTER_OTLP_ENDPOINT has/],
    ['a share of traces beyond all', { OTEL_TRACES_SAMPLER_ARG: '1.5' }, /^OTEL_TRACES_SAMPLER_ARG is "1.5"/],
    ['a public address without http', { PUBLIC_URL: 'ftp://x' }, /^PUBLIC_URL is "ftp:\/\/x"/],
  ])('refuses %s with one line', (_what, source, line) => {
    const problems = problemsOf(() => load(source));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(line);
    expect(problems[0]).not.toContain('hunter2');
  });

  it.each<[string, EnvironmentSource, string | null, string | null]>([
    ['nothing without a word', {}, null, null],
    ['both to a collector', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, 'http/protobuf', 'http/protobuf'],
    ['traces alone', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/v1/traces' }, 'http/protobuf', null],
    [
      'metrics alone, as JSON',
      { OTEL_METRICS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
      null,
      'http/json',
    ],
    [
      'what is not taken back',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_TRACES_EXPORTER: 'none' },
      null,
      'http/protobuf',
    ],
    ['nothing when disabled', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_SDK_DISABLED: 'true' }, null, null],
  ])('sends to OpenTelemetry %s', (_what, source, traces, metrics) => {
    expect(loadSettings(source).get(telemetryConfig)).toMatchObject({ traces, metrics });
  });

  it('reports every mistake at once', () => {
    expect(problemsOf(() => load({ PORT: 'x', HOST: '!', LOG_LEVEL: 'y' }))).toHaveLength(3);
  });

  it('asks api and worker for the database and the key, and says how to make one', () => {
    const problems = problemsOf(() => loadServiceSettings({}));
    expect(problems).toEqual([
      expect.stringMatching(/^DATABASE_URL is missing/),
      expect.stringMatching(/^ENCRYPTION_KEY is missing: .*openssl rand -base64 32/),
    ]);
    const complete = loadServiceSettings({ DATABASE_URL: 'postgres://h/db', ENCRYPTION_KEY: RANDOM_KEY_HEX });
    expect(valuesOf(complete)['databaseUrl']).toBe('postgres://h/db');
  });

  it('reads exactly the variables that .env.example explains, with the defaults it shows', () => {
    const asked = new Set<string>();
    const recording = new Proxy<EnvironmentSource>({}, { get: (_target, name) => void asked.add(String(name)) });
    const defaults = load(recording);
    const lines = readFileSync(new URL('../../../../.env.example', import.meta.url), 'utf8').split('\n');
    const shown = Object.fromEntries(
      lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2)),
    ) as Record<string, string>;
    expect(Object.keys(shown).sort()).toEqual([...asked].sort());
    expect(load(shown)).toEqual(defaults);
  });
});
