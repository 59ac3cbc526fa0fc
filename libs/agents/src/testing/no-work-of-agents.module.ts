import { Global, Module } from '@nestjs/common';
import { AgentArchivedListener } from '../lifecycle/agent-lifecycle.service.js';

const NOTHING_TO_CANCEL: AgentArchivedListener = { agentArchived: () => Promise.resolve() };

@Global()
@Module({
  providers: [{ provide: AgentArchivedListener, useValue: NOTHING_TO_CANCEL }],
  exports: [AgentArchivedListener],
})
export class NoWorkOfAgents {}
