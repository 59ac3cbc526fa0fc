import type { MetricValues } from '@app/platform/observability';
import type { ForwardAddress } from './forwarded-connection.js';

/** What the main thread gives to the thread of the listener as it starts. */
export interface ThreadSettings {
  /** Of the server of the main thread. */
  main: ForwardAddress;
  heartbeat: SharedArrayBuffer;
  /** The first thread of the process: without its server the process does not start. */
  isFirst: boolean;
  /** False where a pooler loses prepared statements. */
  prepares: boolean;
}

export interface RenderedMetrics {
  contentType: string;
  text: string;
}

export type MessageToThread =
  | { type: 'listen'; host: string; port: number }
  /** Without `metrics`: they could not be read. */
  | { type: 'metrics'; metrics?: RenderedMetrics }
  /** Accepts no more connections, and ends when those that are open have closed. */
  | { type: 'end' };

export type MessageToMain =
  /** The server of the thread answers. */
  | { type: 'ready' }
  | { type: 'listening'; port: number }
  | { type: 'failed'; error: unknown }
  | { type: 'ask-metrics' }
  | { type: 'counted'; metrics: MetricValues[] };
