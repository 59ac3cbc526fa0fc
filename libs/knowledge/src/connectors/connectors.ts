import type { JsonObject } from '@app/kernel';
import { Secrets } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { KnowledgeSourceRepository } from '../sources/knowledge-source.repository.js';
import { secretReferences, withSecrets } from '../sources/secret-references.js';
import type { ClaimedSync } from '../sync/claimed-sync.js';
import { SyncLost } from '../sync/claimed-sync.js';
import { CONNECTORS, type ConnectorName } from './connector-config.js';
import type { Connector } from './connector.js';
import { OauthConnectors } from './oauth/oauth.connector.js';
import { OauthProviders } from './oauth/oauth-providers.js';
import { SourceError } from './source-error.js';

/** The connector of each name; with one missing this does not compile. */
export abstract class ConnectorSet {
  abstract readonly byName: Readonly<Record<ConnectorName, Connector>>;
}

/** A source's connector with what it needs to know. */
@Injectable()
export class Connectors {
  constructor(
    private readonly sources: KnowledgeSourceRepository,
    private readonly secrets: Secrets,
    private readonly set: ConnectorSet,
    private readonly providers: OauthProviders,
    private readonly oauth: OauthConnectors,
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
    return { connector: this.named(source.connector), config: withSecrets(source.config, values) };
  }

  private named(name: string): Connector {
    const provider = this.providers.find(name);
    if (provider) return this.oauth.of(provider);
    const known = CONNECTORS.find((each) => each === name);
    if (known) return this.set.byName[known];
    const message = `The operator does not offer ${name} any more (OAUTH_PROVIDERS). What is indexed stays.`;
    throw new SourceError('connector_missing', message);
  }
}
