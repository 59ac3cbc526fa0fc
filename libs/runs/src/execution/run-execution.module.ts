import { AgentsModule } from '@app/agents';
import { Clock, systemClock } from '@app/kernel';
import { SecretsModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { CallbackAddressesModule } from '../callbacks/callback-addresses.module.js';
import { ModelsModule } from '../models/models.module.js';
import { RunPrivacyModule } from '../privacy/run-privacy.module.js';
import { RunStoreModule } from '../store/run-store.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { ActiveRunsService } from './active-runs.service.js';
import { CodeStepsService } from './code-steps.service.js';
import { OutboundCallsService } from './outbound-calls.service.js';
import { RunAttemptsService } from './run-attempts.service.js';
import { RunClaimsService } from './run-claims.service.js';
import { RunExecutorService } from './run-executor.service.js';
import { RunSignalsService } from './run-signals.service.js';
import { RunTelemetryService } from './run-telemetry.service.js';
import { WorkerLeaseService } from './worker-lease.service.js';

@Module({
  imports: [
    AgentsModule,
    CallbackAddressesModule,
    ModelsModule,
    RunPrivacyModule,
    RunStoreModule,
    SecretsModule,
    ToolsModule,
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    ActiveRunsService,
    CodeStepsService,
    OutboundCallsService,
    RunAttemptsService,
    RunClaimsService,
    RunExecutorService,
    RunSignalsService,
    RunTelemetryService,
    WorkerLeaseService,
  ],
  exports: [ActiveRunsService, RunExecutorService, RunSignalsService, WorkerLeaseService],
})
export class RunExecutionModule {}
