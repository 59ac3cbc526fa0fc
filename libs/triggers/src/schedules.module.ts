import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { ScheduleStore } from './schedule.store.js';
import { SchedulerService } from './scheduler.service.js';
import { TriggerRetentionService } from './trigger-retention.service.js';
import { TriggersModule } from './triggers.module.js';

/**
 * Fires schedules and purges old trigger events. Only worker processes import it, in addition to
 * {@link TriggersModule}.
 */
@Module({
  imports: [TriggersModule],
  providers: [{ provide: Clock, useValue: systemClock }, ScheduleStore, SchedulerService, TriggerRetentionService],
  exports: [SchedulerService, TriggerRetentionService],
})
export class SchedulesModule {}
