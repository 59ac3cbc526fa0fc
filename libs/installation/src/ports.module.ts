import { type AgentEntity, AgentArchivedListener, AgentsModule, AgentsService } from '@app/agents';
import { EvaluationCancellation, EvaluationKeeper, EvaluationModule } from '@app/evaluation';
import { EventViews } from '@app/events';
import { AgentDirectory } from '@app/knowledge';
import { CronTimes } from '@app/platform/periodic';
import { RunEventViewsAdapter, RunReleasedListener, RunStore, RunStoreModule } from '@app/runs';
import { Global, Injectable, Module } from '@nestjs/common';
import { DefinitionCronTimes } from './definition-cron-times.js';

/** Cancels the runs and evaluations of an archived agent that no worker has begun. */
@Injectable()
class CancelWorkOfArchivedAgent extends AgentArchivedListener {
  constructor(
    private readonly runs: RunStore,
    private readonly evaluations: EvaluationCancellation,
  ) {
    super();
  }

  async agentArchived({ id, workspaceId }: AgentEntity): Promise<void> {
    await this.runs.cancelRunsOfArchivedAgent(id);
    await this.evaluations.archived(workspaceId, id);
  }
}

/** Binds the ports of lower libs to the libs that implement them. Each app imports it once. */
@Global()
@Module({
  imports: [AgentsModule, RunStoreModule, EvaluationModule],
  providers: [
    { provide: AgentDirectory, useExisting: AgentsService },
    { provide: CronTimes, useClass: DefinitionCronTimes },
    { provide: EventViews, useClass: RunEventViewsAdapter },
    { provide: AgentArchivedListener, useClass: CancelWorkOfArchivedAgent },
    { provide: RunReleasedListener, useExisting: EvaluationKeeper },
  ],
  exports: [AgentArchivedListener, AgentDirectory, CronTimes, EventViews, RunReleasedListener],
})
export class PortsModule {}
