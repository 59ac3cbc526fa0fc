import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { EmergencyStopService } from './emergency-stop.service.js';
import { WorkspaceStopsRepository } from './workspace-stops.repository.js';

/** Stopping workspaces. Only the api imports it, because it keeps the reserved connections open. */
@Module({
  providers: [{ provide: Clock, useValue: systemClock }, WorkspaceStopsRepository, EmergencyStopService],
  exports: [EmergencyStopService, WorkspaceStopsRepository],
})
export class EmergencyStopModule {}
