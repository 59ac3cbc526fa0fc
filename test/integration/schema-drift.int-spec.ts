import { createDataSource, migrateDatabase, migrationsOf } from '@app/platform/database';
import { DataSource } from 'typeorm';
import { AgentPromotionEntity } from '../../libs/agents/src/records/agent-promotion.entity.js';
import { AgentVersionEntity } from '../../libs/agents/src/records/agent-version.entity.js';
import { AgentEntity } from '../../libs/agents/src/records/agent.entity.js';
import { AccessGrantEntity } from '../../libs/knowledge/src/grants/access-grant.entity.js';
import { KnowledgeChunkEntity } from '../../libs/knowledge/src/documents/knowledge-chunk.entity.js';
import { KnowledgeDocumentEntity } from '../../libs/knowledge/src/documents/knowledge-document.entity.js';
import { KnowledgeBaseEntity } from '../../libs/knowledge/src/bases/knowledge-base.entity.js';
import { PendingAuthorizationEntity } from '../../libs/connections/src/pending-authorization.entity.js';
import { ConnectionEntity } from '../../libs/connections/src/connection.entity.js';
import { KnowledgeSourceEntity } from '../../libs/knowledge/src/sources/store/knowledge-source.entity.js';
import { KnowledgeSyncEntity } from '../../libs/knowledge/src/syncs/knowledge-sync.entity.js';
import { EvaluationEntity } from '../../libs/agents/src/evaluations/evaluation.entity.js';
import { ApprovalEntity } from '../../libs/runs/src/records/approval.entity.js';
import { FileEntity } from '../../libs/files/src/records/file.entity.js';
import { TriggerEventEntity } from '../../libs/triggers/src/trigger-event.entity.js';
import { TriggerEntity } from '../../libs/triggers/src/trigger.entity.js';
import { EvaluationTrialEntity } from '../../libs/evaluation/src/evaluation-trial.entity.js';
import { RunStepEntity } from '../../libs/runs/src/records/run-step.entity.js';
import { BulkActionResultEntity } from '../../libs/runs/src/bulk/bulk-action-result.entity.js';
import { BulkActionEntity } from '../../libs/runs/src/bulk/bulk-action.entity.js';
import { RunEntity } from '../../libs/runs/src/records/run.entity.js';
import { WebhookDeliveryEntity } from '../../libs/events/src/webhook-delivery.entity.js';
import { WebhookEndpointEntity } from '../../libs/events/src/webhook-endpoint.entity.js';
import { WebhookMessageEntity } from '../../libs/events/src/webhook-message.entity.js';
import { ApiKeyEntity } from '../../libs/workspace/src/api-key.entity.js';
import { GroupMemberEntity } from '../../libs/workspace/src/group-member.entity.js';
import { GroupEntity } from '../../libs/workspace/src/group.entity.js';
import { AuditEventEntity } from '../../libs/workspace/src/audit-event.entity.js';
import { MemberEntity } from '../../libs/workspace/src/member.entity.js';
import { SecretEntity } from '../../libs/workspace/src/secret.entity.js';
import { WorkspaceEntity } from '../../libs/workspace/src/workspace.entity.js';
import { FORMER_MIGRATIONS, LIB_SCHEMAS } from '../../libs/installation/src/migrate-schema.js';
import { createEmptyTestDatabase, createTestDatabase, type TestDatabase } from '../support/postgres.js';

const ENTITIES = [
  WorkspaceEntity,
  MemberEntity,
  ApiKeyEntity,
  AuditEventEntity,
  GroupEntity,
  GroupMemberEntity,
  SecretEntity,
  AgentEntity,
  AgentVersionEntity,
  AgentPromotionEntity,
  EvaluationEntity,
  EvaluationTrialEntity,
  RunEntity,
  BulkActionEntity,
  BulkActionResultEntity,
  RunStepEntity,
  ApprovalEntity,
  KnowledgeBaseEntity,
  AccessGrantEntity,
  KnowledgeDocumentEntity,
  KnowledgeChunkEntity,
  KnowledgeSourceEntity,
  KnowledgeSyncEntity,
  PendingAuthorizationEntity,
  ConnectionEntity,
  FileEntity,
  TriggerEntity,
  TriggerEventEntity,
  WebhookEndpointEntity,
  WebhookMessageEntity,
  WebhookDeliveryEntity,
];

/**
 * Reads the complete definition of the tables from the catalogue of Postgres. A comparison by TypeORM does not suffice,
 * because TypeORM quotes the defaults of a bigint and does not support partitions.
 */
const CATALOGUE = `
  select 'column' as kind, table_name as owner, column_name as name,
      concat_ws(' ', data_type, udt_name, collation_name, datetime_precision, is_nullable,
        regexp_replace(column_default, '^''(\\d+)''::bigint$', '\\1')) as definition
    from information_schema.columns where table_schema = 'public'
  union all
  select 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid)
    from pg_constraint where connamespace = 'public'::regnamespace
  union all
  select 'index', tablename, indexname, replace(indexdef, ' ON ONLY ', ' ON ') from pg_indexes where schemaname = 'public'
  order by 1, 2, 3`;

/** Reads the functions in the check constraints of `runs` and `run_steps` and in a default of `runs`. */
const ROW_CHECKS = `select pg_get_functiondef(oid) as definition from pg_proc
  where proname in ('is_sound_run', 'is_sound_step', 'current_xid')`;

interface Part {
  kind: string;
  owner: string;
  name: string;
  definition: string;
}

const nameOf = ({ kind, owner, name }: Part): string => `${kind} ${owner}.${name}`;

describe('the schema', () => {
  const databases: TestDatabase[] = [];
  const sources: DataSource[] = [];

  const connect = async (made: Promise<TestDatabase>, entities: typeof ENTITIES = []): Promise<DataSource> => {
    const database = await made;
    databases.push(database);
    const settings = createDataSource({ url: database.url, poolSize: 2, applicationName: 'schema-test' }).options;
    const source = await new DataSource({ ...settings, entities, migrations: migrationsOf(LIB_SCHEMAS) }).initialize();
    sources.push(source);
    return source;
  };

  afterAll(async () => {
    for (const source of sources) await source.destroy();
    for (const database of databases) await database.drop();
  });

  it('matches the entities: TypeORM would change nothing', async () => {
    const source = await connect(createTestDatabase(), ENTITIES);
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('has exactly the columns, indexes and constraints of the entities', async () => {
    const generated = await connect(createEmptyTestDatabase(), ENTITIES);
    const migrated = await connect(createTestDatabase());
    const functions = await migrated.query<{ definition: string }[]>(ROW_CHECKS);
    expect(functions).toHaveLength(3);
    await generated.query('create schema run_machine');
    for (const { definition } of functions) await generated.query(definition);
    await generated.synchronize();
    const wanted = await generated.query<Part[]>(CATALOGUE);
    const names = new Set(wanted.map(nameOf));
    expect(names.size).toBeGreaterThan(100);
    const present = await migrated.query<Part[]>(CATALOGUE);
    expect(present.filter((part) => names.has(nameOf(part)))).toEqual(wanted);
  });

  it('can be reverted and migrated again', async () => {
    const source = await connect(createEmptyTestDatabase());
    const catalogue = () => source.query<unknown[]>(CATALOGUE);
    const tables = LIB_SCHEMAS.map(({ baseline, migrations }) => ({ baseline, migrations }));
    await migrateDatabase(databases.at(-1)!.url, tables, FORMER_MIGRATIONS);
    const first = await catalogue();
    expect(first.length).toBeGreaterThan(100);
    const applied = await source.query<{ name: string }[]>('select name from schema_migrations');
    for (const { name } of applied) {
      expect(name).toMatch(/\d{13}$/);
      await source.undoLastMigration({ transaction: 'each' });
    }
    const left = await source.query<{ name: string }[]>(
      "select tablename as name from pg_tables where schemaname = 'public' order by 1",
    );
    expect(left).toEqual([{ name: 'schema_functions' }, { name: 'schema_migrations' }]);
    await source.runMigrations({ transaction: 'each' });
    expect(await catalogue()).toEqual(first);
  });
});
