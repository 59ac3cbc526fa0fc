import {
  type Connector,
  CONNECTOR_KINDS,
  type ConnectorKind,
  OauthConnector,
  RedactedConnector,
  SourceProvidersService,
  secretReferences,
  SourceError,
  withSecrets,
} from '@app/connectors';
import { Clock, type JsonObject, ownMember } from '@app/kernel';
import { EgressClient } from '@app/platform/egress';
import { SecretsService } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { KnowledgeSourceRepository } from '../sources/store/knowledge-source.repository.js';
import { UploadBytesService } from '../uploads/upload-bytes.service.js';
import { UploadConnector } from '../uploads/upload.connector.js';
import { UploadRepository } from '../uploads/upload.repository.js';
import { type ClaimedSync, SyncLost } from './claimed-sync.js';

/** `config` contains the values of the secrets. */
export interface OpenConnector {
  connector: Connector;
  config: JsonObject;
}

@Injectable()
export class SourceConnectorsService {
  constructor(
    private readonly sources: KnowledgeSourceRepository,
    private readonly uploads: UploadRepository,
    private readonly uploadBytes: UploadBytesService,
    private readonly secrets: SecretsService,
    private readonly providers: SourceProvidersService,
    private readonly egress: EgressClient,
    private readonly clock: Clock,
  ) {}

  /**
   * The connector removes these values from all that it yields and reports.
   * @throws SourceError `secret_missing`, `connector_missing`; SyncLost if the source is deleted
   */
  async open(sync: ClaimedSync): Promise<OpenConnector> {
    const { workspaceId, knowledgeBaseId, sourceId: id } = sync;
    const source = await this.sources.find({ workspaceId, knowledgeBaseId, id });
    if (!source) throw new SyncLost(`The source ${id} was deleted.`);
    return this.openWith(workspaceId, source.config, () => this.connectorOf(source.connector, sync));
  }

  /** As {@link open}, for a source without an authorisation that is not stored. */
  openKind(workspaceId: string, kind: ConnectorKind, config: JsonObject): Promise<OpenConnector> {
    return this.openWith(workspaceId, config, () => kind.open({ egress: this.egress, clock: this.clock }));
  }

  private async openWith(workspaceId: string, config: JsonObject, open: () => Connector): Promise<OpenConnector> {
    const names = secretReferences(config, '').map(({ name }) => name);
    const values = await this.secrets.values(workspaceId, names);
    const missing = names.find((name) => !values.has(name));
    if (missing !== undefined) {
      throw new SourceError(
        'secret_missing',
        `There is no secret ${missing}. Create it with PUT /v1/secrets/${missing}.`,
      );
    }
    return { connector: new RedactedConnector(open(), values.values()), config: withSecrets(config, values) };
  }

  private connectorOf(name: string, sync: ClaimedSync): Connector {
    const provider = this.providers.find(name);
    if (provider) return new OauthConnector(provider, this.egress);
    if (name === 'upload') return new UploadConnector(this.uploads, this.uploadBytes, sync);
    const kind = ownMember<ConnectorKind>(CONNECTOR_KINDS, name);
    if (kind) return kind.open({ egress: this.egress, clock: this.clock });
    const message = `OAUTH_PROVIDERS no longer contains ${name}. Ask the operator to add it again. Indexed documents are kept.`;
    throw new SourceError('connector_missing', message);
  }
}
