import { Module } from '@nestjs/common';
import { AgentChangesService } from './agent-changes.service.js';
import { AgentsController } from './agents.controller.js';

@Module({ controllers: [AgentsController], providers: [AgentChangesService], exports: [AgentChangesService] })
export class AgentsApiModule {}
