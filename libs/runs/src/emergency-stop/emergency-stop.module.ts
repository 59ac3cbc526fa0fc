import { Clock, systemClock } from '@app/kernel';
import { QueueModule } from '@app/platform/queue';
import { Module } from '@nestjs/common';
import { EmergencyStop } from './emergency-stop.service.js';
import { WorkspaceStops } from './workspace-stops.js';

/** Stopping and resuming workspaces. A module of its own, because only the api keeps the reserved connections open. */
@Module({
  imports: [QueueModule],
  providers: [{ provide: Clock, useValue: systemClock }, WorkspaceStops, EmergencyStop],
  exports: [EmergencyStop],
})
export class EmergencyStopModule {}
