import type { MetricValues } from '@app/platform/observability';
import type { ForwardAddress } from './forwarded-connection.js';

/** Settings that the main thread passes to the thread of the listener at its start. */
export interface ThreadSettings {
  /** Address of the server of the main thread. */
  main: ForwardAddress;
  heartbeat: SharedArrayBuffer;
  /** Whether this is the first thread of the process. If its server cannot start, the process does not start. */
  isFirst: boolean;
  /** False behind a connection pooler that does not keep prepared statements. */
  prepares: boolean;
}

export interface RenderedMetrics {
  contentType: string;
  text: string;
}

export type MessageToThread =
  | { type: 'listen'; host: string; port: number }
  /** `metrics` is absent if reading them failed. */
  | { type: 'metrics'; metrics?: RenderedMetrics }
  /** Stops accepting connections; the thread ends when the open ones have closed. */
  | { type: 'end' };

export type MessageToMain =
  /** The server of the thread is listening. */
  | { type: 'ready' }
  | { type: 'listening'; port: number }
  | { type: 'failed'; error: unknown }
  | { type: 'ask-metrics' }
  | { type: 'counted'; metrics: MetricValues[] };
