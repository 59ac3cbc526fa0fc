import type { MetricValues } from '@app/platform/observability';
import type { ForwardAddress } from './forwarded-connection.js';

export interface ThreadSettings {
  /** Address of the server of the main thread. */
  main: ForwardAddress;
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
  | { type: 'listen'; host: string; port: number }
  /** Answer to `ask-metrics`. `metrics` is absent if the main thread could not read them. */
  | { type: 'metrics'; metrics?: RenderedMetrics }
  /** The thread stops accepting connections and ends when the open ones have closed. */
  | { type: 'end' };

export type MessageToMain =
  /** The server of the thread can handle requests. */
  | { type: 'ready' }
  | { type: 'listening'; port: number }
  | { type: 'failed'; error: unknown }
  | { type: 'ask-metrics' }
  | { type: 'counted'; metrics: MetricValues[] };
