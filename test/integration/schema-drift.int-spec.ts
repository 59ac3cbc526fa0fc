import { createDataSource, migrateDatabase } from '@app/platform/database';
import { DataSource } from 'typeorm';
import { AgentPromotion } from '../../libs/agents/src/records/agent-promotion.entity.js';
import { AgentVersionTool } from '../../libs/agents/src/records/agent-version-tool.entity.js';
import { AgentVersion } from '../../libs/agents/src/records/agent-version.entity.js';
import { Agent } from '../../libs/agents/src/records/agent.entity.js';
import { AccessGrant } from '../../libs/knowledge/src/grants/access-grant.entity.js';
import { KnowledgeChunk } from '../../libs/knowledge/src/documents/knowledge-chunk.entity.js';
import { KnowledgeDocument } from '../../libs/knowledge/src/documents/knowledge-document.entity.js';
import { KnowledgeText } from '../../libs/knowledge/src/documents/knowledge-text.entity.js';
import { KnowledgeWord } from '../../libs/knowledge/src/documents/knowledge-word.entity.js';
import { KnowledgeBase } from '../../libs/knowledge/src/bases/knowledge-base.entity.js';
import { PendingAuthorization } from '../../libs/connections/src/pending-authorization.entity.js';
import { ConnectionToken } from '../../libs/connections/src/connection-token.entity.js';
import { CrawlPage } from '../../libs/knowledge/src/syncs/crawl-page.entity.js';
import { PageLinks } from '../../libs/knowledge/src/syncs/page-links.entity.js';
import { Upload } from '../../libs/knowledge/src/sources/store/upload.entity.js';
import { KnowledgeSource } from '../../libs/knowledge/src/sources/store/knowledge-source.entity.js';
import { KnowledgeSync } from '../../libs/knowledge/src/syncs/knowledge-sync.entity.js';
import { Evaluation } from '../../libs/agents/src/evaluations/evaluation.entity.js';
import { Approval } from '../../libs/runs/src/records/approval.entity.js';
import { MailboxWatch } from '../../libs/triggers/src/email/imap/mailbox-watch.entity.js';
import { TriggerEvent } from '../../libs/triggers/src/trigger-event.entity.js';
import { TriggerReceipt } from '../../libs/triggers/src/trigger-receipt.entity.js';
import { Trigger } from '../../libs/triggers/src/trigger.entity.js';
import { ChildRun } from '../../libs/runs/src/records/child-run.entity.js';
import { EvaluationTrial } from '../../libs/evaluation/src/evaluation-trial.entity.js';
import { BudgetReservation } from '../../libs/runs/src/records/budget-reservation.entity.js';
import { ModelUsage } from '../../libs/runs/src/records/model-usage.entity.js';
import { RunStep } from '../../libs/runs/src/records/run-step.entity.js';
import { Run } from '../../libs/runs/src/records/run.entity.js';
import { WebhookClaim } from '../../libs/events/src/webhook-claim.entity.js';
import { WebhookDelivery } from '../../libs/events/src/webhook-delivery.entity.js';
import { WebhookEndpoint } from '../../libs/events/src/webhook-endpoint.entity.js';
import { WebhookMessage } from '../../libs/events/src/webhook-message.entity.js';
import { ApiKey } from '../../libs/workspace/src/api-key.entity.js';
import { GroupMember } from '../../libs/workspace/src/group-member.entity.js';
import { Group } from '../../libs/workspace/src/group.entity.js';
import { AuditEvent } from '../../libs/workspace/src/audit-event.entity.js';
import { FormerSecret } from '../../libs/workspace/src/former-secret.entity.js';
import { Member } from '../../libs/workspace/src/member.entity.js';
import { Secret } from '../../libs/workspace/src/secret.entity.js';
import { Workspace } from '../../libs/workspace/src/workspace.entity.js';
import { ROW_CHECKS } from '../../libs/platform/src/database/migrations/1766600000000-one-check-per-row.js';
import { createEmptyTestDatabase, createTestDatabase, type TestDatabase } from '../support/postgres.js';

const ENTITIES = [
  Workspace,
  Member,
  ApiKey,
  AuditEvent,
  Group,
  GroupMember,
  FormerSecret,
  Secret,
  Agent,
  AgentVersion,
  AgentPromotion,
  Evaluation,
  AgentVersionTool,
  EvaluationTrial,
  Run,
  RunStep,
  ChildRun,
  Approval,
  KnowledgeBase,
  AccessGrant,
  KnowledgeDocument,
  KnowledgeText,
  KnowledgeChunk,
  KnowledgeWord,
  KnowledgeSource,
  KnowledgeSync,
  CrawlPage,
  PageLinks,
  Upload,
  PendingAuthorization,
  ConnectionToken,
  Trigger,
  MailboxWatch,
  TriggerEvent,
  TriggerReceipt,
  WebhookEndpoint,
  WebhookMessage,
  WebhookClaim,
  WebhookDelivery,
  ModelUsage,
  BudgetReservation,
];

/** Everything that makes up the tables, as the catalogue words it; TypeORM quotes the defaults of a bigint and knows no partitions. */
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
    const source = await new DataSource({ ...settings, entities }).initialize();
    sources.push(source);
    return source;
  };

  afterAll(async () => {
    for (const source of sources) await source.destroy();
    for (const database of databases) await database.drop();
  });

  it('is what the entities describe: TypeORM would change nothing', async () => {
    const source = await connect(createTestDatabase(), ENTITIES);
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('has the columns, indexes and constraints of the entities exactly as the entities word them', async () => {
    const generated = await connect(createEmptyTestDatabase(), ENTITIES);
    await generated.query('create schema run_machine');
    for (const { definition } of ROW_CHECKS) await generated.query(definition);
    await generated.synchronize();
    const migrated = await connect(createTestDatabase());
    const wanted = await generated.query<Part[]>(CATALOGUE);
    const names = new Set(wanted.map(nameOf));
    expect(names.size).toBeGreaterThan(100);
    const present = await migrated.query<Part[]>(CATALOGUE);
    expect(present.filter((part) => names.has(nameOf(part)))).toEqual(wanted);
  });

  it('can be taken back and brought again', async () => {
    const source = await connect(createEmptyTestDatabase());
    const catalogue = () => source.query<unknown[]>(CATALOGUE);
    await migrateDatabase(source.options.type === 'postgres' ? (source.options.url ?? '') : '', []);
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
    expect(left).toEqual([{ name: 'schema_migrations' }]);
    await source.runMigrations({ transaction: 'each' });
    expect(await catalogue()).toEqual(first);
  });
});
