import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { EmergencyStopService } from './emergency-stop.service.js';
import { WorkspaceStopsRepository } from './workspace-stops.repository.js';

/** Stops workspaces. Only the API imports this module, because the module keeps reserved database connections open. */
@Module({
  providers: [{ provide: Clock, useValue: systemClock }, WorkspaceStopsRepository, EmergencyStopService],
  exports: [EmergencyStopService, WorkspaceStopsRepository],
})
export class EmergencyStopModule {}
