import { DomainError, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { ENV, type Env } from '@app/platform/config';
import type { Transaction } from '@app/platform/database';
import { AuditLog, Secrets } from '@app/workspace';
import { CronTimes } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { type ConnectorName, knownConnector, readConfig } from '../connectors/connector-config.js';
import { OAUTH_CONNECTORS } from '../connectors/oauth-connectors.js';
import type { KnowledgeSource } from './knowledge-source.entity.js';
import { secretReferences, withHiddenRestored } from './secret-references.js';
import { nextSyncAt, readSchedule, type SyncSchedule } from './sync-schedule.js';

export interface WantedSource {
  connector: string;
  /** May hold `schedule`. */
  config: JsonObject;
  schedule?: JsonValue;
}

export interface ReadSettings {
  connector: ConnectorName;
  config: JsonObject;
  schedule: SyncSchedule;
  nextSyncAt: Date | null;
}

/** What a source is told: checked, completed, and with every secret it names there. */
@Injectable()
export class SourceSettings {
  constructor(
    private readonly secrets: Secrets,
    private readonly times: CronTimes,
    readonly audit: AuditLog,
    @Inject(ENV) private readonly env: Env,
  ) {}

  /** @throws DomainError `invalid_request` with pointers, `oauth_required`, `unknown_reference` */
  async read(workspaceId: string, wanted: WantedSource, now: Date, transaction: Transaction): Promise<ReadSettings> {
    this.refuseOauth(wanted.connector);
    const connector = knownConnector(wanted.connector);
    const { schedule: inner, ...fields } = wanted.config;
    const config = readConfig(connector, fields, '/config');
    const schedule = this.schedule(wanted.schedule, inner) ?? 'manual';
    await this.assertSecrets(workspaceId, config, transaction);
    return { connector, config, schedule, nextSyncAt: nextSyncAt(schedule, now, this.times) };
  }

  /** @throws DomainError `invalid_request` with pointers, `unknown_reference` */
  async change(
    source: KnowledgeSource,
    wanted: { config?: JsonObject; schedule?: JsonValue },
    now: Date,
    transaction: Transaction,
  ): Promise<Partial<Pick<ReadSettings, 'config' | 'schedule' | 'nextSyncAt'>>> {
    const change: Partial<ReadSettings> = {};
    const { schedule: inner, ...fields } = wanted.config ?? {};
    if (Object.keys(fields).length > 0) {
      const given = withHiddenRestored(fields, source.config);
      change.config = readConfig(knownConnector(source.connector), merged(source.config, given), '/config');
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

  private refuseOauth(connector: string): void {
    if (!OAUTH_CONNECTORS.some((each) => each === connector)) return;
    const detail = `Somebody has to authorise ${connector} in the web app, at authorize_url; it cannot be added with a key.`;
    const errors = [{ pointer: '/connector', detail }];
    const extensions = { authorize_url: `${this.env.publicUrl}/sources/authorize?connector=${connector}` };
    throw new DomainError('oauth_required', detail, { errors, extensions });
  }

  private async assertSecrets(workspaceId: string, config: JsonObject, transaction: Transaction): Promise<void> {
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
        suggestion: `Write it first: PUT /v1/secrets/${name}.`,
      }));
    if (errors.length > 0) throw new DomainError('unknown_reference', errors[0]?.detail ?? '', { errors });
  }
}

/** RFC 7396, but with lists and single values in place of the ones before. */
function merged(base: JsonObject, change: JsonObject): JsonObject {
  const result: JsonObject = { ...base };
  for (const [key, value] of Object.entries(change)) {
    const before = result[key] ?? null;
    result[key] = isJsonObject(before) && isJsonObject(value) ? merged(before, value) : value;
  }
  return result;
}
