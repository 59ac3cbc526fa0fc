import { Module } from '@nestjs/common';
import { LiveViewService } from './live-view.service.js';
import { RunReaderService } from './run-reader.service.js';
import { RunStartsController } from './run-starts.controller.js';
import { RunsController } from './runs.controller.js';

@Module({ controllers: [RunStartsController, RunsController], providers: [LiveViewService, RunReaderService] })
export class RunsApiModule {}
