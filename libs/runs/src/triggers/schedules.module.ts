import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { ReceiptKeeper } from './receipt-keeper.service.js';
import { ScheduleJournal } from './schedule-journal.js';
import { ScheduleKeeper } from './schedule-keeper.service.js';
import { TriggersModule } from './triggers.module.js';

/** Firing schedules, and clearing up behind triggers: what a worker process adds to {@link TriggersModule}. */
@Module({
  imports: [TriggersModule],
  providers: [{ provide: Clock, useValue: systemClock }, ReceiptKeeper, ScheduleJournal, ScheduleKeeper],
  exports: [ReceiptKeeper, ScheduleKeeper],
})
export class SchedulesModule {}
