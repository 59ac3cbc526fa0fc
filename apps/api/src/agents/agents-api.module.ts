import { Module } from '@nestjs/common';
import { AgentChanges } from './agent-changes.js';
import { AgentsController } from './agents.controller.js';

@Module({ controllers: [AgentsController], providers: [AgentChanges], exports: [AgentChanges] })
export class AgentsApiModule {}
