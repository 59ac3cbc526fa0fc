import { Module } from '@nestjs/common';
import { LiveView } from './live-view.service.js';
import { RunReader } from './run-reader.service.js';
import { RunStartsController } from './run-starts.controller.js';
import { RunsController } from './runs.controller.js';

@Module({ controllers: [RunStartsController, RunsController], providers: [LiveView, RunReader] })
export class RunsApiModule {}
