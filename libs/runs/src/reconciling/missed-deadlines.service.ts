import { JobQueue } from '@app/platform/queue';
import { Injectable } from '@nestjs/common';
import { ApprovalJournal } from '../approvals/approval-journal.js';
import { executeRun } from '../run.jobs.js';
import { RunJournal } from '../run-journal.js';

const BATCH = 100;

/** Ends what nobody answered or began in time: open approvals and queued runs. */
@Injectable()
export class MissedDeadlines {
  constructor(
    private readonly journal: RunJournal,
    private readonly approvals: ApprovalJournal,
    private readonly queue: JobQueue,
  ) {}

  async enforce(signal: AbortSignal): Promise<void> {
    for (const approval of await this.approvals.due(BATCH)) {
      if (signal.aborted) return;
      // The run may go on with what its definition says about a missing answer.
      if (await this.approvals.expire(approval)) this.queue.ring(executeRun, { runId: approval.runId });
    }
    await this.journal.expireQueued(BATCH);
  }
}
