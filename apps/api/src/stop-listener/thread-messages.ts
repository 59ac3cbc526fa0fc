import type { LoggingConfig, Measurement, TelemetryConfig } from '@app/platform/observability';
import type { RateLimitsConfig } from '@app/platform/rate-limits';
import type { RedisConfig } from '@app/platform/redis';
import type { AddressConfig } from '@app/platform/startup';

/** The settings of the process that the thread uses. The thread does not read them itself. */
export interface ProcessSettings {
  databaseUrl: string;
  address: Pick<AddressConfig, 'publicUrl' | 'host'>;
  allowsInsecureCookies: boolean;
  logging: LoggingConfig;
  telemetry: TelemetryConfig;
  rateLimits: RateLimitsConfig;
  redis: RedisConfig;
  /** See `API_STALL_LIMIT_MS`. */
  stallLimitMillis: number;
  /** See `workerConfig`. */
  startBudgetMillis: number;
}

export interface ThreadSettings extends ProcessSettings {
  /** Address at which the thread listens. */
  host: string;
  port: number;
  heartbeat: SharedArrayBuffer;
  /** Whether this is the first thread of the process. If its server cannot start, the process ends. */
  isFirst: boolean;
  /** Whether prepared statements are used. Some connection poolers do not support them. */
  prepares: boolean;
}

export interface RenderedMetrics {
  contentType: string;
  text: string;
}

export type MessageToThread =
  /** Answer to `ask-metrics`. `metrics` is absent if the main thread could not read them. */
  | { type: 'metrics'; metrics?: RenderedMetrics }
  /** The thread stops accepting connections and ends when the open ones have closed. */
  | { type: 'end' };

export type MessageToMain =
  | { type: 'listening'; port: number }
  | { type: 'failed'; error: unknown }
  | { type: 'ask-metrics' }
  | { type: 'measured'; measurement: Measurement };
