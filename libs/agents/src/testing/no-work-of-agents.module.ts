import { Global, Injectable, Module } from '@nestjs/common';
import { AgentArchivedListener } from '../lifecycle/agent-archived.listener.js';

@Injectable()
class NothingToCancel extends AgentArchivedListener {
  agentArchived(): Promise<void> {
    return Promise.resolve();
  }
}

@Global()
@Module({
  providers: [{ provide: AgentArchivedListener, useClass: NothingToCancel }],
  exports: [AgentArchivedListener],
})
export class NoWorkOfAgents {}
