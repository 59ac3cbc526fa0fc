import { Transactions } from '@app/platform/database';
import { CronTimes } from '@app/platform/periodic';
import { Injectable } from '@nestjs/common';
import { type DueSource, KnowledgeSourceRepository } from '../sources/store/knowledge-source.repository.js';
import { nextSyncAt } from '../sources/store/sync-schedule.js';
import { SourceSyncsService } from './source-syncs.service.js';

const BATCH = 50;

/** Begins the syncs of schedules. A fire time that comes while a sync is under way, or came while nobody looked, is one sync. */
@Injectable()
export class SyncSchedules {
  constructor(
    private readonly transactions: Transactions,
    private readonly sources: KnowledgeSourceRepository,
    private readonly syncs: SourceSyncsService,
    private readonly times: CronTimes,
  ) {}

  async fireDue(): Promise<void> {
    for (const due of await this.sources.due(BATCH)) await this.fire(due);
  }

  /** The new fire time and the sync are committed together; whoever comes second finds the fire time changed. */
  private async fire(due: DueSource): Promise<void> {
    const next = nextSyncAt(due.schedule, due.now, this.times);
    await this.transactions.run(async (transaction) => {
      const { workspaceId, knowledgeBaseId, id } = due;
      if (!(await this.sources.lock({ workspaceId, knowledgeBaseId, id }, transaction))) return;
      if (!(await this.sources.fire(due, next, transaction))) return;
      await this.syncs.begin(due, null, transaction);
    });
  }
}
