import { Module } from '@nestjs/common';
import { AgentsApiModule } from '../agents/agents-api.module.js';
import { AgentVersionsController } from './agent-versions.controller.js';

@Module({ imports: [AgentsApiModule], controllers: [AgentVersionsController] })
export class AgentVersionsApiModule {}
