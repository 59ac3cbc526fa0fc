import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { EmergencyStop } from './emergency-stop.service.js';
import { WorkspaceStops } from './workspace-stops.js';

/** Stopping workspaces. Only the api imports it, because it keeps the reserved connections open. */
@Module({
  providers: [{ provide: Clock, useValue: systemClock }, WorkspaceStops, EmergencyStop],
  exports: [EmergencyStop, WorkspaceStops],
})
export class EmergencyStopModule {}
