import { ToolDescriberService } from '@app/agents';
import { RunFilesService } from '@app/files';
import { sharedAbortController } from '@app/platform/periodic';
import { Injectable } from '@nestjs/common';
import { ActiveRunsService } from './active-runs.service.js';
import { ComputingTurns } from './computing-turns.js';
import { CodeStepsService } from './code-steps.service.js';
import { OutboundCallsService } from './outbound-calls.service.js';
import { WorkerLeaseService } from './worker-lease.service.js';
import type { AttemptHost } from './attempt-host.js';
import { RunAttempt } from './run-attempt.js';
import type { ClaimedRun } from '../records/run-commands.js';
import { RunPrivaciesService } from '../privacy/run-privacies.service.js';

@Injectable()
export class RunAttemptsService {
  private readonly turns = new ComputingTurns();

  constructor(
    private readonly describer: ToolDescriberService,
    private readonly activeRuns: ActiveRunsService,
    private readonly lease: WorkerLeaseService,
    private readonly privacies: RunPrivaciesService,
    private readonly outbound: OutboundCallsService,
    private readonly code: CodeStepsService,
    private readonly files: RunFilesService,
  ) {}

  /**
   * When the attempts of the run have taken `limits.max_duration` in total, its calls are aborted and the run fails.
   * Calls `onOutcome` when the outcome is known, before it is recorded.
   */
  async attemptRun(run: ClaimedRun, onOutcome: () => void): Promise<void> {
    const definition = await this.lease.retryWhileHeld(() =>
      this.describer.describeVersion(run.workspaceId, run.agentId, run.version),
    );
    const opened = await this.lease.retryWhileHeld(() => this.privacies.openRun(run, definition));
    const { outbound, lease, activeRuns, turns, code, files } = this;
    const end = sharedAbortController();
    const { store, privacy } = opened;
    const host: AttemptHost = {
      store,
      privacy,
      outbound,
      released: end.signal,
      lease,
      activeRuns,
      turns,
      code,
      files,
      onOutcome,
    };
    const remaining = Math.max(0, definition.limits.maxDurationMs - run.activeMs);
    try {
      await this.activeRuns.trackRun(run, remaining, (signal) =>
        new RunAttempt(host, opened.run, definition, signal).carryOut(),
      );
    } finally {
      end.abort('released');
    }
  }
}
