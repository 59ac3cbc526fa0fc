import {
  type Connector,
  CONNECTOR_KINDS,
  type ConnectorKind,
  OauthConnector,
  OauthProviders,
  secretReferences,
  SourceError,
  withSecrets,
} from '@app/connectors';
import { Clock, type JsonObject, ownMember } from '@app/kernel';
import { EgressClient } from '@app/platform/egress';
import { Secrets } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { KnowledgeSourceRepository } from '../sources/store/knowledge-source.repository.js';
import { UploadConnector } from '../sources/store/upload.connector.js';
import { UploadRepository } from '../sources/store/upload.repository.js';
import { type ClaimedSync, SyncLost } from './claimed-sync.js';

/** The connector of a source, with the configuration that it reads. */
@Injectable()
export class SourceConnectorsService {
  constructor(
    private readonly sources: KnowledgeSourceRepository,
    private readonly uploads: UploadRepository,
    private readonly secrets: Secrets,
    private readonly providers: OauthProviders,
    private readonly egress: EgressClient,
    private readonly clock: Clock,
  ) {}

  /** @throws SourceError `secret_missing`; SyncLost where the source is gone */
  async open(sync: ClaimedSync): Promise<{ connector: Connector; config: JsonObject }> {
    const { workspaceId, knowledgeBaseId, sourceId: id } = sync;
    const source = await this.sources.find({ workspaceId, knowledgeBaseId, id });
    if (!source) throw new SyncLost(`The source ${id} is gone.`);
    const names = secretReferences(source.config, '').map(({ name }) => name);
    const values = await this.secrets.values(workspaceId, names);
    const missing = names.find((name) => !values.has(name));
    if (missing !== undefined) {
      throw new SourceError(
        'secret_missing',
        `There is no secret ${missing}. Write it with PUT /v1/secrets/${missing}.`,
      );
    }
    return { connector: this.connectorOf(source.connector, sync), config: withSecrets(source.config, values) };
  }

  private connectorOf(name: string, sync: ClaimedSync): Connector {
    const provider = this.providers.find(name);
    if (provider) return new OauthConnector(provider, this.egress);
    if (name === 'upload') return new UploadConnector(this.uploads, sync);
    const kind = ownMember<ConnectorKind>(CONNECTOR_KINDS, name);
    if (kind) return kind.open({ egress: this.egress, clock: this.clock });
    const message = `The operator does not offer ${name} any more (OAUTH_PROVIDERS). What is indexed stays.`;
    throw new SourceError('connector_missing', message);
  }
}
