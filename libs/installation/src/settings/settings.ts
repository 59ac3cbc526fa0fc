import { Config, ConfigurationError, type EnvironmentReader, type EnvironmentSource } from '@app/platform/config';
import { definitionLimitsConfig } from '../../../agents/src/definitions/definition-limits.config.js';
import { oauthConfig } from '../../../connections/src/oauth.config.js';
import { evaluationConfig } from '../../../evaluation/src/evaluation.config.js';
import { webhooksConfig } from '../../../events/src/webhooks.config.js';
import { type FilesConfig, filesConfig } from '../../../files/src/files.config.js';
import { knowledgeConfig } from '../../../knowledge/src/bases/knowledge.config.js';
import { type CryptoConfig, cryptoConfig, ENCRYPTION_KEY_MISSING } from '../../../platform/src/crypto/crypto.config.js';
import {
  DATABASE_URL_MISSING,
  type DatabaseConfig,
  databaseConfig,
} from '../../../platform/src/database/database.config.js';
import { type EgressConfig, egressConfig } from '../../../platform/src/egress/egress.config.js';
import { mailConfig } from '../../../platform/src/mail/mail.config.js';
import { mcpConfig } from '../../../platform/src/mcp/mcp.config.js';
import { modelsConfig } from '../../../platform/src/models/models.config.js';
import { loggingConfig, telemetryConfig } from '../../../platform/src/observability/observability.config.js';
import { workerConfig } from '../../../platform/src/periodic/worker.config.js';
import { type RedisConfig, redisConfig } from '../../../platform/src/redis/redis.config.js';
import { rateLimitsConfig } from '../../../platform/src/rate-limits/rate-limits.config.js';
import { type AddressConfig, addressConfig } from '../../../platform/src/startup/address.config.js';
import { type DataDirectoryConfig, dataDirectoryConfig } from '../../../platform/src/startup/data-directory.config.js';
import { retentionConfig } from '../../../runs/src/retention/retention.config.js';
import { runIntakeConfig } from '../../../runs/src/start/run-intake.config.js';
import { recordedAnswersConfig } from '../../../runs/src/tools/recorded-answers.config.js';
import { type EmailConfig, emailConfig } from '../../../triggers/src/email/email.config.js';
import { idempotencyConfig } from '../../../workspace/src/idempotency.config.js';
import { signInConfig } from '../../../workspace/src/sign-in/sign-in.config.js';
import { apiConfig } from './api.config.js';
import { type StandaloneConfig, standaloneConfig } from './standalone.config.js';

/**
 * The settings of all features, in the order of docs/configuration.md. Their files are imported by path, because a
 * process that only reads settings must not load whole libs.
 */
export const FEATURE_CONFIGS = [
  addressConfig,
  dataDirectoryConfig,
  standaloneConfig,
  databaseConfig,
  redisConfig,
  cryptoConfig,
  modelsConfig,
  egressConfig,
  mcpConfig,
  mailConfig,
  emailConfig,
  oauthConfig,
  filesConfig,
  knowledgeConfig,
  workerConfig,
  runIntakeConfig,
  recordedAnswersConfig,
  definitionLimitsConfig,
  evaluationConfig,
  apiConfig,
  signInConfig,
  idempotencyConfig,
  rateLimitsConfig,
  webhooksConfig,
  retentionConfig,
  loggingConfig,
  telemetryConfig,
];

/**
 * Reads and validates all settings of the installation. Unknown variables are ignored.
 * @throws ConfigurationError with one line per mistake
 */
export function loadSettings(source?: EnvironmentSource): Config {
  return Config.load(FEATURE_CONFIGS, source, checkTogether);
}

/**
 * Like {@link loadSettings}, but also requires the database URL and the encryption key. The API and the worker use it.
 */
export function loadServiceSettings(source?: EnvironmentSource): Config {
  const config = loadSettings(source);
  const problems: string[] = [];
  if (config.get(databaseConfig).databaseUrl === undefined) problems.push(DATABASE_URL_MISSING);
  if (config.get(cryptoConfig).encryptionKey === undefined) problems.push(ENCRYPTION_KEY_MISSING);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return config;
}

/**
 * Checks settings that depend on each other. A repeated idempotency key returns the run of the first request, so runs
 * must be retained at least as long as keys.
 */
function checkTogether(config: Config, reader: EnvironmentReader): void {
  const hours = config.get(idempotencyConfig).idempotencyMillis / 3_600_000;
  const { runRetentionDays } = config.get(retentionConfig);
  const most = runRetentionDays === 0 ? Infinity : 24 * runRetentionDays;
  if (hours > most)
    reader.reject('IDEMPOTENCY_HOURS', String(hours), `at most the value of RUN_RETENTION_DAYS (${most} hours)`);
}

export type StandaloneSettings = StandaloneConfig &
  DataDirectoryConfig &
  AddressConfig &
  DatabaseConfig &
  RedisConfig &
  CryptoConfig &
  EgressConfig &
  Pick<FilesConfig, 's3'> &
  Pick<EmailConfig, 'smtpListenPort'> & { hasConsole: boolean };

/**
 * Loads the settings of `npm start` and of the operator commands.
 * @throws ConfigurationError with one line per mistake in any setting, because the started processes read all settings
 */
export function loadStandaloneSettings(source?: EnvironmentSource): StandaloneSettings {
  const config = loadSettings(source);
  return {
    ...config.get(standaloneConfig),
    ...config.get(dataDirectoryConfig),
    ...config.get(addressConfig),
    ...config.get(databaseConfig),
    ...config.get(redisConfig),
    ...config.get(cryptoConfig),
    ...config.get(egressConfig),
    s3: config.get(filesConfig).s3,
    smtpListenPort: config.get(emailConfig).smtpListenPort,
    hasConsole: config.get(apiConfig).console === 'on',
  };
}
