import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { RunTextsService } from './run-texts.service.js';
import { RunWatcherService } from './run-watcher.service.js';

@Module({
  providers: [{ provide: Clock, useValue: systemClock }, RunTextsService, RunWatcherService],
  exports: [RunTextsService, RunWatcherService],
})
export class LiveViewModule {}
