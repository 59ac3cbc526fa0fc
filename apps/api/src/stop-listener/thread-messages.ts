import type { MetricValues } from '@app/platform/observability';

export interface ThreadSettings {
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
  | { type: 'counted'; metrics: MetricValues[] };
