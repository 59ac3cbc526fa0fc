import { ConnectionsModule } from '@app/connections';
import { Module } from '@nestjs/common';
import { SourceProvidersService } from './oauth/source-providers.service.js';

/**
 * The OAuth providers whose documents sources can read. Connectors need no module, because `ConnectorTools` and the
 * visit provide everything that they use.
 */
@Module({ imports: [ConnectionsModule], providers: [SourceProvidersService], exports: [SourceProvidersService] })
export class ConnectorsModule {}
