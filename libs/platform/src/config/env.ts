import { resolve } from 'node:path';
import { ConfigurationError } from './configuration-error.js';
import { parseEgressAllowEntry } from './egress-allow-entry.js';
import { EnvReader, type EnvSource } from './env-reader.js';
import { type LimitsEnv, readLimits } from './limits-env.js';
import { type ModelProviders, readJudgeModel, readModelProviders } from './model-providers.js';
import { readRetention, type RetentionEnv } from './retention-env.js';
import { readTelemetry, type TelemetryEnv } from './telemetry-env.js';
import { type OauthProviderSettings, readOauthProviders } from './oauth-providers.js';
import { readWebhooks, type WebhookEnv } from './webhook-env.js';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ['json', 'pretty'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export const SMTP_PROTOCOLS = ['smtp', 'lmtp'] as const;
export type SmtpProtocol = (typeof SMTP_PROTOCOLS)[number];

/** The configuration of one process, validated. `.env.example` explains every variable. */
export interface Env extends WebhookEnv, TelemetryEnv, RetentionEnv, LimitsEnv {
  readonly port: number;
  readonly host: string;
  /** `/healthz` of an api answers 503 after its main thread has not run for this time. */
  readonly stallLimitMillis: number;
  /** Absolute path. */
  readonly dataDir: string;
  readonly databaseUrl?: string;
  readonly databasePoolSize: number;
  /** False where a pooler between here and Postgres does not know prepared statements. */
  readonly databasePrepares: boolean;
  readonly redisUrl?: string;
  /** Leads every queue key, so that tests and installations can share one Redis. */
  readonly queuePrefix: string;
  /** Runs that one worker process executes at the same time. */
  readonly workerConcurrency: number;
  /** Runs of one evaluation that are under way at the same time. */
  readonly evaluationParallelism: number;
  /** Where a worker answers probes and Prometheus; 0: nowhere. */
  readonly workerPort: number;
  /** Worker processes of the standalone start. */
  readonly workers: number;
  /** Entries `CIDR[:port]`; `parseEgressAllowEntry` reads each of them. */
  readonly egressAllow: readonly string[];
  /** Programs that tools of type mcp may start with transport stdio; none by default. */
  readonly mcpStdioCommands: readonly string[];
  /** 32 bytes. */
  readonly encryptionKey?: Buffer;
  /** Keys that were in use before; they open and verify, they never seal or sign. */
  readonly previousEncryptionKeys: readonly Buffer[];
  /** 0 means: no SMTP listener. */
  readonly smtpListenPort: number;
  readonly smtpListenHost: string;
  /** lmtp: for a relay on the same network that hands mail over one recipient at a time (RFC 2033). */
  readonly smtpListenProtocol: SmtpProtocol;
  /** Paths of PEM files; without them the listener offers no STARTTLS. */
  readonly smtpTls?: { readonly certificateFile: string; readonly keyFile: string };
  /** Bytes of one mail. */
  readonly smtpMaxMessageBytes: number;
  /** Names that the operator's relays put into `Authentication-Results`. */
  readonly smtpTrustedRelays: readonly string[];
  readonly smtpRelayUrl?: string;
  /** Address that mails of agents come from. */
  readonly mailFrom: string;
  /** By name; none, and only definitions without a model can be carried out. */
  readonly modelProviders: ModelProviders;
  /** The model that grades what only a model can grade in evaluations; null: that of the definition. */
  readonly judgeModel: { readonly provider: string; readonly name: string } | null;
  /** By the name of their connector; what sources are authorised at. */
  readonly oauthProviders: ReadonlyMap<string, OauthProviderSettings>;
  /** At least one; the first is the default. */
  readonly regions: readonly string[];
  /** Where people reach the service, without a slash at the end. */
  readonly publicUrl: string;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** ISO 4217 code of the money that runs are accounted in. */
  readonly currency: string;
  /** Runs of a workspace that may wait for a worker; beyond that new ones are turned away for a while. */
  readonly maxQueuedRuns: number;
  /** How often in a minute; 0 is without limit. By key, by agent, and by the address of wrong credentials. */
  readonly rateLimits: Readonly<Record<'requests' | 'triggers' | 'failedAuthentication', number>>;
  /** Live views (`GET /v1/runs/{id}/events`) that one api process serves at the same time. */
  readonly runEventsMaxStreams: number;
  /** How often one api process looks for what is new in all of its live views together. */
  readonly runEventsPollMillis: number;
  /** How long a worker may be silent before its runs go to another. */
  readonly leaseMillis: number;
  readonly beatMillis: number;
  readonly reconcileMillis: number;
  readonly pollMillis: number;
  /** Age at which permission to start a tool call lapses: the call is not sent any more. */
  readonly startBudgetMillis: number;
  /** What arrived for triggers is shown for so long. */
  readonly triggerLogRetentionDays: number;
}

/** What api and worker cannot do without. */
export type ServiceEnv = Env & { readonly databaseUrl: string; readonly encryptionKey: Buffer };

/**
 * Reads and validates the environment. Names that the service does not know are ignored.
 * Throws {@link ConfigurationError} with one line per mistake.
 */
export function loadEnv(source: EnvSource = process.env): Env {
  const read = new EnvReader(source);
  const port = read.integer('PORT', { fallback: 3000, min: 0, max: 65_535 });
  const host = read.matching('HOST', /^[A-Za-z0-9.:_-]+$/, 'a host name or an IP address', '127.0.0.1');
  const retention = readRetention(read);
  const perMinute = (name: string, fallback: number) => read.integer(name, { fallback, min: 0, max: 10_000_000 });
  const env: Env = {
    port,
    host,
    stallLimitMillis: read.integer('API_STALL_LIMIT_MS', { fallback: 60_000, min: 1_000, max: 3_600_000 }),
    dataDir: resolve(read.text('DATA_DIR') ?? '.data'),
    publicUrl: (read.url('PUBLIC_URL', ['http', 'https'], { secret: false }) ?? localUrl(host, port)).replace(
      /\/+$/,
      '',
    ),
    ...readStores(read),
    ...readSecrets(read),
    ...readWorker(read),
    egressAllow: read.list(
      'EGRESS_ALLOW',
      (entry) => parseEgressAllowEntry(entry) !== undefined,
      'networks such as 10.0.0.0/8 or 127.0.0.1:8080, separated by commas',
    ),
    ...readMail(read, host),
    mcpStdioCommands: read.list('MCP_STDIO_COMMANDS', (command) => command !== '', 'programs, separated by commas'),
    modelProviders: readModelProviders(read),
    judgeModel: readJudgeModel(read),
    oauthProviders: readOauthProviders(read),
    regions: readRegions(read),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    logFormat: read.oneOf('LOG_FORMAT', LOG_FORMATS, 'json'),
    currency: read.matching('CURRENCY', /^[A-Z]{3}$/, 'an ISO 4217 code such as EUR', 'EUR'),
    maxQueuedRuns: read.integer('MAX_QUEUED_RUNS', { fallback: 10_000, min: 1, max: 10_000_000 }),
    rateLimits: {
      requests: perMinute('RATE_LIMIT_REQUESTS', 600),
      triggers: perMinute('RATE_LIMIT_TRIGGERS', 60),
      failedAuthentication: perMinute('RATE_LIMIT_FAILED_AUTHENTICATION', 600),
    },
    runEventsMaxStreams: read.integer('RUN_EVENTS_MAX_STREAMS', { fallback: 1_000, min: 0, max: 100_000 }),
    ...readWebhooks(read),
    ...readTelemetry(read),
    ...retention,
    ...readLimits(read, retention),
    triggerLogRetentionDays: read.integer('TRIGGER_LOG_RETENTION_DAYS', { fallback: 30, min: 1, max: 3_650 }),
    runEventsPollMillis: read.integer('RUN_EVENTS_POLL_MS', { fallback: 250, min: 10, max: 60_000 }),
  };
  read.finish();
  return Object.freeze(env);
}

/** Narrows to what api and worker need. Throws {@link ConfigurationError} with one line per variable that is missing. */
export function requireForService(env: Env): ServiceEnv {
  const { databaseUrl, encryptionKey } = env;
  const problems: string[] = [];
  if (!databaseUrl) problems.push('DATABASE_URL is missing: set it to postgres://user:password@host:5432/database.');
  if (!encryptionKey) problems.push('ENCRYPTION_KEY is missing: set it to the output of "openssl rand -base64 32".');
  if (!databaseUrl || !encryptionKey) throw new ConfigurationError(problems);
  return Object.freeze({ ...env, databaseUrl, encryptionKey });
}

/** The environment for a child process: this one's with `overrides` on top; an undefined override removes the variable. */
export function childEnvironment(overrides: EnvSource = {}): NodeJS.ProcessEnv {
  const merged = Object.entries({ ...process.env, ...overrides });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

/** What a process that reads hostile data needs of the environment: the time zone and the certificates, and no secret. */
export function isolatedEnvironment(): NodeJS.ProcessEnv {
  const names = ['TZ', 'NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'TMPDIR'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

function readStores(
  read: EnvReader,
): Pick<Env, 'databaseUrl' | 'databasePoolSize' | 'databasePrepares' | 'redisUrl' | 'queuePrefix'> {
  return {
    databaseUrl: read.url('DATABASE_URL', ['postgres', 'postgresql'], { secret: true }),
    databasePoolSize: read.integer('DATABASE_POOL_SIZE', { fallback: 10, min: 1, max: 200 }),
    databasePrepares: read.oneOf('DATABASE_PREPARED_STATEMENTS', ['true', 'false'], 'true') === 'true',
    redisUrl: read.url('REDIS_URL', ['redis', 'rediss'], { secret: true }),
    queuePrefix: read.matching('QUEUE_PREFIX', /^[a-z0-9_-]{1,40}$/, '1 to 40 of a-z, 0-9, "_" and "-"', 'aas'),
  };
}

function readSecrets(read: EnvReader): Pick<Env, 'encryptionKey' | 'previousEncryptionKeys'> {
  const [encryptionKey, second] = read.keys('ENCRYPTION_KEY');
  if (second) read.wrong('ENCRYPTION_KEY', undefined, 'one key; older ones belong into ENCRYPTION_KEYS_PREVIOUS');
  return {
    encryptionKey,
    previousEncryptionKeys: read.keys('ENCRYPTION_KEYS_PREVIOUS'),
  };
}

type WorkerEnv = Pick<
  Env,
  | 'workerConcurrency'
  | 'evaluationParallelism'
  | 'workers'
  | 'workerPort'
  | 'leaseMillis'
  | 'beatMillis'
  | 'reconcileMillis'
  | 'pollMillis'
  | 'startBudgetMillis'
>;

function readWorker(read: EnvReader): WorkerEnv {
  const millis = (name: string, fallback: number) => read.integer(name, { fallback, min: 10, max: 600_000 });
  const leaseMillis = millis('WORKER_LEASE_MS', 15_000);
  const worker = {
    leaseMillis,
    workerConcurrency: read.integer('WORKER_CONCURRENCY', { fallback: 16, min: 1, max: 1_000 }),
    evaluationParallelism: read.integer('EVALUATION_PARALLELISM', { fallback: 48, min: 1, max: 1_000 }),
    workerPort: read.integer('WORKER_PORT', { fallback: 0, min: 0, max: 65_535 }),
    workers: read.integer('WORKERS', { fallback: 1, min: 1, max: 64 }),
    beatMillis: millis('WORKER_BEAT_MS', Math.min(5_000, Math.ceil(leaseMillis / 3))),
    reconcileMillis: millis('WORKER_RECONCILE_MS', 2_000),
    pollMillis: millis('WORKER_POLL_MS', 1_000),
    startBudgetMillis: millis('WORKER_START_BUDGET_MS', Math.min(1_000, Math.ceil(leaseMillis / 3))),
  };
  // One lost heartbeat must not cost the lease, and a call must not start after the lease it was allowed under.
  const shortest = Math.floor(worker.leaseMillis / 2);
  if (worker.beatMillis > shortest) {
    read.wrong('WORKER_BEAT_MS', String(worker.beatMillis), `at most half of WORKER_LEASE_MS (${shortest})`);
  }
  if (worker.startBudgetMillis > shortest) {
    read.wrong(
      'WORKER_START_BUDGET_MS',
      String(worker.startBudgetMillis),
      `at most half of WORKER_LEASE_MS (${shortest})`,
    );
  }
  return worker;
}

type MailEnv = Pick<
  Env,
  | 'smtpListenPort'
  | 'smtpListenHost'
  | 'smtpListenProtocol'
  | 'smtpTls'
  | 'smtpMaxMessageBytes'
  | 'smtpTrustedRelays'
  | 'smtpRelayUrl'
  | 'mailFrom'
>;

function readMail(read: EnvReader, host: string): MailEnv {
  const certificateFile = read.text('SMTP_TLS_CERT');
  const keyFile = read.text('SMTP_TLS_KEY');
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    read.wrong(
      certificateFile === undefined ? 'SMTP_TLS_CERT' : 'SMTP_TLS_KEY',
      '',
      'both of SMTP_TLS_CERT and SMTP_TLS_KEY, or none',
    );
  }
  return {
    smtpListenPort: read.integer('SMTP_LISTEN_PORT', { fallback: 0, min: 0, max: 65_535 }),
    smtpListenHost: read.matching('SMTP_LISTEN_HOST', /^[A-Za-z0-9.:_-]+$/, 'a host name or an IP address', host),
    smtpListenProtocol: read.oneOf('SMTP_LISTEN_PROTOCOL', SMTP_PROTOCOLS, 'smtp'),
    ...(certificateFile !== undefined && keyFile !== undefined && { smtpTls: { certificateFile, keyFile } }),
    smtpMaxMessageBytes: read.integer('SMTP_MAX_MESSAGE_BYTES', { fallback: 10_485_760, min: 1_024, max: 104_857_600 }),
    smtpTrustedRelays: read.list(
      'SMTP_TRUSTED_RELAYS',
      (name) => /^[a-z0-9._-]+$/i.test(name),
      'names such as mx.example.com, separated by commas',
    ),
    smtpRelayUrl: read.url('SMTP_RELAY_URL', ['smtp', 'smtps'], { secret: true }),
    mailFrom: read.matching(
      'MAIL_FROM',
      /^[^\s@<>,;"]+@[^\s@<>,;"]+$/,
      'an address such as agents@example.com',
      'agents@localhost',
    ),
  };
}

function readRegions(read: EnvReader): string[] {
  const regions = read.list(
    'REGIONS',
    (name) => /^[a-z0-9][a-z0-9-]{0,39}$/.test(name),
    'names such as eu-west, separated by commas',
  );
  return regions.length > 0 ? [...new Set(regions)] : ['local'];
}

// The wildcard addresses accept connections but cannot be connected to everywhere.
function localUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
