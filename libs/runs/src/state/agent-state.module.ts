import { WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { StateStore } from './state.store.js';
import { StateService } from './state.service.js';

@Module({ imports: [WorkspaceModule], providers: [StateStore, StateService], exports: [StateStore, StateService] })
export class AgentStateModule {}
