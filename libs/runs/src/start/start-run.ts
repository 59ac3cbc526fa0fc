import type { JsonObject } from '@app/kernel';
import type { Replay } from '../records/run-commands.js';
import type { RunMode } from '../records/run-status.js';

/** What is asked for when a run is started. */
export interface StartRun {
  workspaceId: string;
  agentId: string;
  /** Who starts it: a member through one of their keys. */
  initiator: { email: string; keyKind: 'live' | 'test' };
  input: JsonObject;
  /** Default: production for live keys, test for test keys. */
  mode?: RunMode;
  /** Default: the production version. */
  version?: number;
  idempotency?: { endpoint: string; key: string; fingerprint: Buffer };
  /** What started it: `{type, …}`. Default: a request, `{type: 'api'}`. */
  trigger?: JsonObject;
  /** Set where it repeats another run. */
  replay?: Replay;
}
