import { ConnectionsModule } from '@app/connections';
import { Module } from '@nestjs/common';
import { SourceProvidersService } from './oauth/source-providers.service.js';

@Module({ imports: [ConnectionsModule], providers: [SourceProvidersService], exports: [SourceProvidersService] })
export class ConnectorsModule {}
