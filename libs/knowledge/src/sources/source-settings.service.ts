import { AuthorizationsService } from '@app/connections';
import { SourceProvidersService, secretReferences, withHiddenRestored } from '@app/connectors';
import { DomainError, type JsonObject, type JsonValue, mergedJson } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { CronTimes } from '@app/platform/periodic';
import { AuditLogService, type Principal, SecretsService } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import type { KnowledgeSourceEntity } from './store/knowledge-source.entity.js';
import { knownConnector, readConfig } from './source-config.js';
import { nextSyncAt, readSchedule, type SyncSchedule } from './store/sync-schedule.js';

export interface WantedSource {
  connector: string;
  config: JsonObject;
  schedule?: JsonValue;
}

export interface ReadSettings {
  connector: string;
  config: JsonObject;
  schedule: SyncSchedule;
  nextSyncAt: Date | null;
}

@Injectable()
export class SourceSettingsService {
  constructor(
    private readonly secrets: SecretsService,
    private readonly times: CronTimes,
    readonly audit: AuditLogService,
    readonly providers: SourceProvidersService,
    private readonly authorizations: AuthorizationsService,
  ) {}

  /**
   * The source is added when a person has authorised it at `authorize_url`.
   * @throws DomainError `oauth_required` with `authorize_url`; `invalid_request` with pointers
   */
  async assertNoOauth(actor: Principal, knowledgeBaseId: string, wanted: WantedSource): Promise<void> {
    const { connector } = wanted;
    const provider = this.providers.find(connector);
    if (!provider) return;
    const { schedule: inner, ...fields } = wanted.config;
    const config = provider.shape.read(fields, '/config');
    const schedule = this.schedule(wanted.schedule, inner) ?? 'manual';
    const place = { knowledgeBaseId, sourceId: null, connectionId: null };
    const { authorizeUrl, expiresAt } = await this.authorizations.beginAuthorization(actor, place, connector, {
      config,
      schedule,
    });
    const missing = provider.client
      ? ''
      : ' Before that, the operator of this installation must configure the provider in OAUTH_PROVIDERS.';
    const detail = `${provider.title} is not authorised yet. A person must open authorize_url in a browser and grant access; this is not possible with an API key.${missing}`;
    const extensions = { authorize_url: authorizeUrl, expires_at: expiresAt.toISOString() };
    throw new DomainError('oauth_required', detail, { errors: [{ pointer: '/connector', detail }], extensions });
  }

  restored(connector: string, settings: JsonObject, now: Date): ReadSettings {
    const { config, schedule } = settings as { config: JsonObject; schedule: SyncSchedule };
    return { connector, config, schedule, nextSyncAt: nextSyncAt(schedule, now, this.times) };
  }

  /** @throws DomainError `invalid_request` with pointers, `unknown_reference` */
  async read(workspaceId: string, wanted: WantedSource, now: Date, transaction: Transaction): Promise<ReadSettings> {
    const connector = knownConnector(wanted.connector, this.providers.names);
    const config = await this.readConfig(workspaceId, wanted, transaction);
    const schedule = this.schedule(wanted.schedule, wanted.config.schedule) ?? 'manual';
    return { connector, config, schedule, nextSyncAt: nextSyncAt(schedule, now, this.times) };
  }

  /** @throws DomainError `invalid_request` with pointers, `unknown_reference` */
  async readConfig(workspaceId: string, wanted: WantedSource, transaction?: Transaction): Promise<JsonObject> {
    const { schedule: _, ...fields } = wanted.config;
    const config = readConfig(knownConnector(wanted.connector, this.providers.names), fields, '/config');
    await this.assertSecrets(workspaceId, config, transaction);
    return config;
  }

  /** @throws DomainError `invalid_request` with pointers, `unknown_reference` */
  async change(
    source: KnowledgeSourceEntity,
    wanted: { config?: JsonObject; schedule?: JsonValue },
    now: Date,
    transaction: Transaction,
  ): Promise<Partial<Pick<ReadSettings, 'config' | 'schedule' | 'nextSyncAt'>>> {
    const change: Partial<ReadSettings> = {};
    const { schedule: inner, ...fields } = wanted.config ?? {};
    if (Object.keys(fields).length > 0) {
      const given = withHiddenRestored(fields, source.config);
      change.config = this.config(source.connector, mergedJson(source.config, given));
      await this.assertSecrets(source.workspaceId, change.config, transaction);
    }
    const schedule = this.schedule(wanted.schedule, inner);
    if (schedule !== undefined) Object.assign(change, { schedule, nextSyncAt: nextSyncAt(schedule, now, this.times) });
    return change;
  }

  private schedule(outer: JsonValue | undefined, inner: JsonValue | undefined): SyncSchedule | undefined {
    if (outer !== undefined) return readSchedule(outer, '/schedule', this.times);
    return inner === undefined ? undefined : readSchedule(inner, '/config/schedule', this.times);
  }

  private config(connector: string, given: JsonObject): JsonObject {
    const provider = this.providers.find(connector);
    return provider ? provider.shape.read(given, '/config') : readConfig(knownConnector(connector), given, '/config');
  }

  private async assertSecrets(workspaceId: string, config: JsonObject, transaction?: Transaction): Promise<void> {
    const references = secretReferences(config, '/config');
    const missing = await this.secrets.missing(
      workspaceId,
      references.map(({ name }) => name),
      transaction,
    );
    const errors = references
      .filter(({ name }) => missing.has(name))
      .map(({ name, pointer }) => ({
        pointer,
        detail: `There is no secret ${name}.`,
        suggestion: `Create it first: PUT /v1/secrets/${name}.`,
      }));
    if (errors.length > 0) throw new DomainError('unknown_reference', errors[0]?.detail ?? '', { errors });
  }
}
