import type { AttemptStore } from '../privacy/private-run-store.js';
import type { RunPrivacy } from '../privacy/run-privacy.js';
import type { ActiveRunsService } from './active-runs.service.js';
import type { CodeStepsService } from './code-steps.service.js';
import type { ComputingTurns } from './computing-turns.js';
import type { OutboundCallsService } from './outbound-calls.service.js';
import type { WorkerLeaseService } from './worker-lease.service.js';

/** What an attempt of a run needs from the worker that executes it. */
export interface AttemptHost {
  store: AttemptStore;
  privacy: RunPrivacy;
  outbound: OutboundCallsService;
  /** Aborts when the attempt of the run has ended. */
  released: AbortSignal;
  lease: WorkerLeaseService;
  activeRuns: Pick<ActiveRunsService, 'isDraining' | 'now'>;
  turns: ComputingTurns;
  code: CodeStepsService;
  /** Called when the outcome of the run is known, before it is recorded. */
  onOutcome: () => void;
}
