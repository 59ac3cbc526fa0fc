import { Injectable } from '@nestjs/common';
import { CallbackAddressesService } from '../callbacks/callback-addresses.service.js';
import { ModelTurnsService } from '../models/model-turns.service.js';
import { ToolDispatcherService } from '../tools/tool-dispatcher.service.js';
import { RunTelemetryService } from './run-telemetry.service.js';

@Injectable()
export class OutboundCallsService {
  constructor(
    readonly tools: ToolDispatcherService,
    readonly models: ModelTurnsService,
    readonly telemetry: RunTelemetryService,
    readonly callbacks: CallbackAddressesService,
  ) {}
}
