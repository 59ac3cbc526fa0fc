import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { ScheduleJournal } from './schedule-journal.js';
import { ScheduleKeeper } from './schedule-keeper.service.js';
import { TriggerRetention } from './trigger-retention.service.js';
import { TriggersModule } from './triggers.module.js';

/** Firing schedules, and clearing up behind triggers: what a worker process adds to {@link TriggersModule}. */
@Module({
  imports: [TriggersModule],
  providers: [{ provide: Clock, useValue: systemClock }, ScheduleJournal, ScheduleKeeper, TriggerRetention],
  exports: [ScheduleKeeper, TriggerRetention],
})
export class SchedulesModule {}
