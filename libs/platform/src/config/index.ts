/**
 * Configuration: the only code that reads `process.env`. Everything is validated once, at boot; after that the rest of
 * the service takes the typed {@link Env} by injection (`ENV`) and never asks the environment itself.
 */
export { ConfigurationError } from './configuration-error.js';
export { DEFAULT_EMBEDDING_MODEL, type EmbeddingModelOptions } from './embedding-models.js';
export { type EgressAllowEntry, parseEgressAllowEntry } from './egress-allow-entry.js';
export { ENV, EnvModule } from './env.module.js';
export {
  childEnvironment,
  type Env,
  isolatedEnvironment,
  loadEnv,
  type LogFormat,
  type LogLevel,
  requireForService,
  type ServiceEnv,
} from './env.js';
export { type ModelPrice, type ModelProvider } from './model-providers.js';
export type { EnvSource } from './env-reader.js';
export type { OtlpProtocol, TelemetryEnv } from './telemetry-env.js';
