import { AgentArchivedListener, AgentsModule, AgentsService } from '@app/agents';
import { EvaluationSupervisorService, EvaluationModule } from '@app/evaluation';
import { EventViews } from '@app/events';
import { AgentDirectory } from '@app/knowledge';
import { CronTimes } from '@app/platform/periodic';
import { RunEventViewsAdapter, RunReleasedListener, RunStoreModule } from '@app/runs';
import { Global, Module } from '@nestjs/common';
import { ArchivedAgentAdapter } from './archived-agent.adapter.js';
import { DefinitionCronTimesAdapter } from './definition-cron-times.adapter.js';

/** Binds the ports that lower libs declare to the libs that implement them. */
@Global()
@Module({
  imports: [AgentsModule, RunStoreModule, EvaluationModule],
  providers: [
    { provide: AgentDirectory, useExisting: AgentsService },
    { provide: CronTimes, useClass: DefinitionCronTimesAdapter },
    { provide: EventViews, useClass: RunEventViewsAdapter },
    { provide: AgentArchivedListener, useClass: ArchivedAgentAdapter },
    { provide: RunReleasedListener, useExisting: EvaluationSupervisorService },
  ],
  exports: [AgentArchivedListener, AgentDirectory, CronTimes, EventViews, RunReleasedListener],
})
export class PortsModule {}
