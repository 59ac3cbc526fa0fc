import { Transactions } from '@app/platform/database';
import { CronTimes } from '@app/platform/periodic';
import { Injectable } from '@nestjs/common';
import { type DueSource, KnowledgeSourceRepository } from '../sources/store/knowledge-source.repository.js';
import { nextSyncAt } from '../sources/store/sync-schedule.js';
import { SourceSyncsService } from './source-syncs.service.js';

const BATCH = 50;

/** Requests scheduled syncs. Due times that pass during a sync or while no worker runs result in one sync. */
@Injectable()
export class SyncSchedulesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly sources: KnowledgeSourceRepository,
    private readonly syncs: SourceSyncsService,
    private readonly times: CronTimes,
  ) {}

  async requestDue(): Promise<void> {
    for (const due of await this.sources.findDue(BATCH)) await this.requestSync(due);
  }

  /** Due time and sync are committed together, so only one process requests the sync. */
  private async requestSync(due: DueSource): Promise<void> {
    const next = nextSyncAt(due.schedule, due.now, this.times);
    await this.transactions.run(async (transaction) => {
      const { workspaceId, knowledgeBaseId, id } = due;
      if (!(await this.sources.lock({ workspaceId, knowledgeBaseId, id }, transaction))) return;
      if (!(await this.sources.advanceSchedule(due, next, transaction))) return;
      await this.syncs.begin(due, null, transaction);
    });
  }
}
