import { Clock, systemClock } from '@app/kernel';
import { QueueModule } from '@app/platform/queue';
import { Module } from '@nestjs/common';
import { EmergencyStopModule } from './emergency-stop.module.js';
import { WorkspaceResumptionService } from './workspace-resumption.service.js';

@Module({
  imports: [QueueModule, EmergencyStopModule],
  providers: [{ provide: Clock, useValue: systemClock }, WorkspaceResumptionService],
  exports: [WorkspaceResumptionService],
})
export class WorkspaceResumptionModule {}
