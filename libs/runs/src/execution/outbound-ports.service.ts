import { Injectable } from '@nestjs/common';
import { CallWatch } from './call-watch.service.js';
import { ModelTurns } from '../models/model-turns.service.js';
import { ToolDispatcher } from '../tools/tool-dispatcher.service.js';

/** The two ways out of a run, its tools and its models, and who is told of them. */
@Injectable()
export class OutboundPorts {
  constructor(
    readonly tools: ToolDispatcher,
    readonly models: ModelTurns,
    readonly watch: CallWatch,
  ) {}
}
