import type { RunFilesService } from '@app/files';
import type { AttemptStore } from '../privacy/private-run-store.js';
import type { RunPrivacy } from '../privacy/run-privacy.js';
import type { ActiveRunsService } from './active-runs.service.js';
import type { CodeStepsService } from './code-steps.service.js';
import type { ComputingTurns } from './computing-turns.js';
import type { OutboundCallsService } from './outbound-calls.service.js';
import type { WorkerLeaseService } from './worker-lease.service.js';

export interface AttemptHost {
  store: AttemptStore;
  privacy: RunPrivacy;
  outbound: OutboundCallsService;
  released: AbortSignal;
  lease: WorkerLeaseService;
  activeRuns: Pick<ActiveRunsService, 'isDraining' | 'now'>;
  turns: ComputingTurns;
  code: CodeStepsService;
  files: RunFilesService;
  onOutcome: () => void;
}
