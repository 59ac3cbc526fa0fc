import { AgentArchivedListener, AgentsModule, AgentsService } from '@app/agents';
import { isTimeZone } from '@app/cel';
import { cronProblem, FireTimes } from '@app/definition';
import { EvaluationModule, EvaluationSupervisorService } from '@app/evaluation';
import { EventViews } from '@app/events';
import { AgentDirectory } from '@app/knowledge';
import { CronTimes } from '@app/platform/periodic';
import { RunEventViewsAdapter, RunReleasedListener, RunStore, RunsModule } from '@app/runs';
import { Global, Module } from '@nestjs/common';

/** Implements {@link CronTimes} with the cron parser that agent definitions use. */
const definitionCronTimes: CronTimes = {
  problem(cron, timezone) {
    if (!isTimeZone(timezone))
      return `${JSON.stringify(timezone)} is not a valid time zone. Use an IANA name, for example Europe/Berlin.`;
    return cronProblem(cron);
  },
  next: (cron, timezone, after) => new FireTimes(cron, timezone).next(after),
};

/** Cancels the runs and the evaluations of an archived agent. */
function archivedAgentListener(runs: RunStore, evaluations: EvaluationSupervisorService): AgentArchivedListener {
  return {
    async agentArchived({ id, workspaceId }) {
      await runs.cancelRunsOfArchivedAgent(id);
      await evaluations.cancelOfArchivedAgent(workspaceId, id);
    },
  };
}

/** Binds the ports that lower libs declare to the libs that implement them. */
@Global()
@Module({
  imports: [AgentsModule, RunsModule, EvaluationModule],
  providers: [
    { provide: AgentDirectory, useExisting: AgentsService },
    { provide: CronTimes, useValue: definitionCronTimes },
    { provide: EventViews, useClass: RunEventViewsAdapter },
    {
      provide: AgentArchivedListener,
      inject: [RunStore, EvaluationSupervisorService],
      useFactory: archivedAgentListener,
    },
    { provide: RunReleasedListener, useExisting: EvaluationSupervisorService },
  ],
  exports: [AgentArchivedListener, AgentDirectory, CronTimes, EventViews, RunReleasedListener],
})
export class PortsModule {}
