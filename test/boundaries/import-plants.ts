import type { Files } from './plantation.js';

/** A planted violation of an import rule: its files, and the only rule that must report it. */
export interface ImportPlant {
  rule: string;
  /** Description of the planted violation, for rules with several planted violations. */
  how?: string;
  files: Files;
}

/** A small repository with every permitted kind of import and without a violation. */
export const LEGAL_TREE: Files = {
  'libs/kernel/src/index.ts': "export { newId } from './ids.js';",
  'libs/kernel/src/ids.ts': "export const newId = (): string => 'run_1';",

  'libs/platform/src/config/index.ts': "export { env } from './env.js';",
  'libs/platform/src/config/env.ts': "import { isIP } from 'node:net';\nexport const env = { ip: isIP('::1') };",
  'libs/platform/src/database/index.ts': "export { open } from './data-source.js';",
  'libs/platform/src/database/data-source.ts':
    "import { DataSource } from 'typeorm';\nimport { Pool } from 'pg';\nimport { env } from '../config/index.js';\nimport { newId } from '@app/kernel';\nexport const open = () => [DataSource, Pool, env, newId];",
  'libs/platform/src/queue/index.ts':
    "import { Queue } from 'bullmq';\nimport { Redis } from 'ioredis';\nexport const queue = { Queue, Redis };",
  'libs/platform/src/egress/index.ts':
    "import { Agent } from 'undici';\nimport { connect } from 'node:tls';\nexport const egress = { Agent, connect };",

  'libs/workspace/src/index.ts':
    "export { workspaces } from './workspaces.service.js';\nexport { type Workspace } from './workspace.entity.js';",
  'libs/workspace/src/workspaces.service.ts':
    "import { open } from '@app/platform/database';\nimport { workspacesRepository } from './workspaces.repository.js';\nexport const workspaces = { open, workspacesRepository };",
  'libs/workspace/src/workspaces.repository.ts':
    "import { Workspace } from './workspace.entity.js';\nexport const workspacesRepository = { Workspace };",
  'libs/workspace/src/workspace.entity.ts':
    "import { Entity } from 'typeorm';\nexport class Workspace { entity = Entity; }",
  'libs/workspace/src/testing/workspace.builder.ts':
    "import { newId } from '@app/kernel';\nexport const aWorkspace = () => ({ id: newId() });",
  'libs/workspace/src/workspaces.spec.ts':
    "import fc from 'fast-check';\nimport { aWorkspace } from './testing/workspace.builder.js';\nvoid [fc, aWorkspace];",

  'libs/agents/src/index.ts': "export { agents } from './agents.service.js';",
  'libs/agents/src/agents.service.ts':
    "import { workspaces } from '@app/workspace';\nimport { parse } from '@app/definition';\nimport { passes } from './evaluations/promotion-gate.js';\nexport const agents = { workspaces, parse, passes };",
  'libs/agents/src/evaluations/promotion-gate.ts':
    "import { newId } from '@app/kernel';\nimport type { Workspace } from '@app/workspace';\nexport const passes = (workspace: Workspace) => [workspace, newId()];",
  'libs/definition/src/index.ts': "export { parse } from './parse.js';",
  'libs/definition/src/parse.ts':
    "import { parse as parseYaml } from 'yaml';\nimport { Environment } from '@marcbachmann/cel-js';\nimport { RE2 } from '@bufbuild/re2';\nimport { Ajv2020 } from 'ajv/dist/2020.js';\nimport formats from 'ajv-formats';\nimport { newId } from '@app/kernel';\nexport const parse = () => [parseYaml, Environment, RE2, Ajv2020, formats, newId];",

  'libs/connections/src/index.ts':
    "import { workspaces } from '@app/workspace';\nexport const connections = { workspaces };",
  'libs/connectors/src/index.ts': "export { kinds } from './registry.js';",
  'libs/connectors/src/registry.ts': "import { git } from './git/git.connector.js';\nexport const kinds = { git };",
  'libs/connectors/src/git/git.connector.ts':
    "import { connections } from '@app/connections';\nexport const git = { connections };",
  'libs/knowledge/src/index.ts':
    "import { workspaces } from '@app/workspace';\nimport { kinds } from '@app/connectors';\nexport const knowledge = { workspaces, kinds };",
  'libs/events/src/index.ts': "import { egress } from '@app/platform/egress';\nexport const events = { egress };",

  'libs/runs/src/index.ts': "export { runs } from './runs.service.js';",
  'libs/runs/src/runs.service.ts':
    "import { agents } from '@app/agents';\nimport { knowledge } from '@app/knowledge';\nimport { events } from '@app/events';\nimport { queue } from '@app/platform/queue';\nimport { next } from './interpreter/interpreter.js';\nimport { store } from './store/run.store.js';\nexport const runs = { agents, knowledge, events, queue, next, store };",
  'libs/runs/src/store/run.store.ts':
    "import { Pool } from 'pg';\nimport { next } from '../interpreter/interpreter.js';\nexport const store = { Pool, next };",
  'libs/runs/src/interpreter/interpreter.ts':
    "import { parse } from '@app/definition';\nimport { newId } from '@app/kernel';\nexport const next = () => [parse, newId];",
  'libs/runs/src/interpreter/interpreter.spec.ts':
    "import { readFileSync } from 'node:fs';\nimport { aWorkspace } from '../../../workspace/src/testing/workspace.builder.js';\nimport { next } from './interpreter.js';\nvoid [readFileSync, aWorkspace, next];",

  'libs/triggers/src/index.ts': "import { runs } from '@app/runs';\nexport const triggers = { runs };",
  'libs/evaluation/src/index.ts': "import { runs } from '@app/runs';\nexport const evaluation = { runs };",
  'libs/installation/src/index.ts':
    "import { evaluation } from '@app/evaluation';\nimport { triggers } from '@app/triggers';\nexport const installation = { evaluation, triggers };",

  'apps/api/src/main.ts':
    "import type { Server } from 'node:http';\nimport express from 'express';\nimport { installation } from '@app/installation';\nimport { runs } from '@app/runs';\nexport const start = (server: Server) => [server, express, installation, runs];",
  'apps/worker/src/main.ts': "import { queue } from '@app/platform/queue';\nvoid queue;",
  'apps/standalone/src/main.ts': "import { request } from 'node:http';\nexport const start = () => request;",
  'apps/console/src/main.tsx': "import { title } from './title.js';\nvoid title;",
  'packages/sdk/src/index.ts': "export { send } from './transport.js';",
  'packages/sdk/src/transport.ts': "export const send = () => fetch('/');",
  'apps/console/src/title.ts': "export const title = 'Runs';",

  'test/support/eventually.ts': "import { newId } from '@app/kernel';\nexport const eventually = () => newId();",
  'test/support/global-setup.ts': 'export default () => undefined;',
  'test/e2e/runs.e2e-spec.ts':
    "import { start } from '../../apps/standalone/src/main.js';\nimport { runs } from '@app/runs';\nimport { aWorkspace } from '../../libs/workspace/src/testing/workspace.builder.js';\nimport { eventually } from '../support/eventually.js';\nvoid [start, runs, aWorkspace, eventually];",
  'test/integration/run-store.int-spec.ts':
    "import { store } from '../../libs/runs/src/store/run.store.js';\nvoid store;",
};

const uses = (path: string) => `import * as used from '${path}';\nvoid used;`;

/**
 * The folders of libs/runs in import order: a folder must not import a later folder. The first folder, `interpreter`,
 * is missing here, because the stricter rule `interpreter-is-pure` applies to it.
 */
const RUNS_FOLDERS = [
  'records',
  'store',
  'privacy',
  'read',
  'calls',
  'start',
  'live-view',
  'models',
  'children',
  'state',
  'tools',
  'approvals',
  'callbacks',
  'execution',
  'replay',
  'emergency-stop',
  'bulk',
  'changes',
  'statistics',
  'reconciling',
  'retention',
];

/**
 * In each planted violation, a folder imports the next folder. The last folder imports a file outside of all folders.
 */
const runsOrderPlants: readonly ImportPlant[] = RUNS_FOLDERS.map((folder, index) => {
  const next = RUNS_FOLDERS[index + 1];
  const used = next === undefined ? '../runs.service.js' : `../${next}/upward.js`;
  return { rule: `runs-${folder}-order`, files: { [`libs/runs/src/${folder}/upward.ts`]: uses(used) } };
});

export const IMPORT_PLANTS: readonly ImportPlant[] = [
  ...runsOrderPlants,
  {
    rule: 'runs-folder-has-a-place',
    files: { 'libs/runs/src/attic/upward.ts': uses('../interpreter/interpreter.js') },
  },
  { rule: 'platform-imports', files: { 'libs/platform/src/queue/upward.ts': uses('@app/workspace') } },
  { rule: 'workspace-imports', files: { 'libs/workspace/src/upward.ts': uses('@app/agents') } },
  { rule: 'definition-imports', files: { 'libs/definition/src/upward.ts': uses('@app/workspace') } },
  {
    rule: 'agents-imports',
    how: 'by a type',
    files: {
      'libs/agents/src/sideways.ts':
        "import type { knowledge } from '@app/knowledge';\nexport type Knowledge = typeof knowledge;",
    },
  },
  { rule: 'agents-imports', how: 'by a value', files: { 'libs/agents/src/upward.ts': uses('@app/runs') } },
  { rule: 'knowledge-imports', files: { 'libs/knowledge/src/sideways.ts': uses('@app/agents') } },
  { rule: 'connections-imports', files: { 'libs/connections/src/upward.ts': uses('@app/connectors') } },
  {
    rule: 'connectors-imports',
    how: 'a table of the lib above',
    files: { 'libs/connectors/src/git/upward.ts': uses('@app/knowledge') },
  },
  { rule: 'events-imports', files: { 'libs/events/src/upward.ts': uses('@app/runs') } },
  { rule: 'triggers-imports', files: { 'libs/triggers/src/sideways.ts': uses('@app/evaluation') } },
  { rule: 'evaluation-imports', files: { 'libs/evaluation/src/sideways.ts': uses('@app/triggers') } },
  { rule: 'installation-imports', files: { 'libs/installation/src/upward.ts': uses('../../../apps/api/src/main.js') } },
  { rule: 'runs-imports', files: { 'libs/runs/src/upward.ts': uses('../../../apps/api/src/main.js') } },

  {
    rule: 'front-door-only',
    how: 'from an app',
    files: { 'apps/api/src/burglar.ts': uses('../../../libs/runs/src/interpreter/interpreter.js') },
  },
  {
    rule: 'front-door-only',
    how: 'from a lib',
    files: { 'libs/runs/src/burglar.ts': uses('../../agents/src/agents.service.js') },
  },
  {
    rule: 'front-door-only',
    how: 'of a platform folder',
    files: { 'libs/runs/src/thief.ts': uses('../../platform/src/database/data-source.js') },
  },
  {
    rule: 'platform-folder-front-door',
    files: { 'libs/platform/src/queue/burglar.ts': uses('../database/data-source.js') },
  },
  {
    rule: 'settings-import-declarations-only',
    files: { 'libs/installation/src/settings/settings.ts': uses('../../../agents/src/agents.service.js') },
  },
  {
    rule: 'config-file-is-light',
    files: { 'libs/agents/src/agents.config.ts': uses('@app/workspace') },
  },
  { rule: 'e2e-from-outside', files: { 'test/e2e/burglar.e2e-spec.ts': uses('../../libs/runs/src/runs.service.js') } },
  {
    rule: 'no-repository-in-front-door',
    files: {
      'libs/workspace/src/members/index.ts': "export { workspacesRepository } from '../workspaces.repository.js';",
    },
  },
  {
    rule: 'entity-as-type-only',
    files: { 'libs/workspace/src/groups/index.ts': "export { Workspace } from '../workspace.entity.js';" },
  },
  {
    rule: 'apps-are-separate',
    how: 'api and worker',
    files: { 'apps/worker/src/neighbour.ts': uses('../../api/src/main.js') },
  },
  {
    rule: 'apps-are-separate',
    how: 'nobody imports standalone',
    files: { 'apps/api/src/neighbour.ts': uses('../../standalone/src/main.js') },
  },
  { rule: 'sdk-stands-alone', how: 'a package', files: { 'packages/sdk/src/package.ts': uses('yaml') } },
  { rule: 'sdk-stands-alone', how: 'Node', files: { 'packages/sdk/src/core.ts': uses('node:crypto') } },
  { rule: 'sdk-stands-alone', how: 'a lib', files: { 'packages/sdk/src/shortcut.ts': uses('@app/kernel') } },
  {
    rule: 'console-and-cli-talk-http-only',
    how: 'console',
    files: { 'apps/console/src/shortcut.ts': uses('@app/kernel') },
  },
  { rule: 'console-and-cli-talk-http-only', how: 'cli', files: { 'apps/cli/src/shortcut.ts': uses('@app/kernel') } },

  { rule: 'kernel-is-pure', how: 'no package', files: { 'libs/kernel/src/package.ts': uses('@nestjs/common') } },
  { rule: 'kernel-is-pure', how: 'no core module', files: { 'libs/kernel/src/core.ts': uses('node:crypto') } },
  { rule: 'definition-is-pure', how: 'no core module', files: { 'libs/definition/src/core.ts': uses('fs') } },
  {
    rule: 'definition-is-pure',
    how: 'no framework',
    files: { 'libs/definition/src/service.ts': uses('@nestjs/common') },
  },
  { rule: 'interpreter-is-pure', how: 'no package', files: { 'libs/runs/src/interpreter/package.ts': uses('yaml') } },
  {
    rule: 'interpreter-is-pure',
    how: 'no core module',
    files: { 'libs/runs/src/interpreter/core.ts': uses('node:fs') },
  },
  {
    rule: 'interpreter-is-pure',
    how: 'no service, not by a type',
    files: {
      'libs/runs/src/interpreter/service.ts':
        "import type { agents } from '@app/agents';\nexport type Agents = typeof agents;",
    },
  },
  {
    rule: 'interpreter-is-pure',
    how: 'nothing around it',
    files: { 'libs/runs/src/interpreter/around.ts': uses('../store/run.store.js') },
  },
  {
    rule: 'pure-module-is-pure',
    how: 'no core module',
    files: { 'libs/events/src/retry-schedule.ts': uses('node:crypto') },
  },
  {
    rule: 'pure-module-is-pure',
    how: 'no platform',
    files: { 'libs/knowledge/src/chunking/chunks.ts': uses('@app/platform/database') },
  },
  {
    rule: 'pure-module-is-pure',
    how: 'no service',
    files: {
      'libs/runs/src/records/run-status.ts': uses('./records.service.js'),
      'libs/runs/src/records/records.service.ts': 'export const records = 1;',
    },
  },
  {
    rule: 'pure-module-is-pure',
    how: 'no framework',
    files: { 'libs/evaluation/src/grade.ts': uses('@nestjs/common') },
  },

  {
    rule: 'typeorm-stays-in-persistence',
    how: 'TypeORM',
    files: {
      'libs/runs/src/sql.service.ts': "import type { DataSource } from 'typeorm';\nexport type Source = DataSource;",
    },
  },
  { rule: 'typeorm-stays-in-persistence', how: 'pg', files: { 'apps/worker/src/sql.ts': uses('pg') } },
  { rule: 'bullmq-stays-in-queue', how: 'BullMQ', files: { 'apps/worker/src/queue.ts': uses('bullmq') } },
  { rule: 'redis-stays-in-platform', how: 'ioredis', files: { 'libs/runs/src/bell.ts': uses('ioredis') } },
  { rule: 'outbound-only-through-egress', how: 'undici', files: { 'libs/events/src/post.ts': uses('undici') } },
  {
    rule: 'outbound-only-through-egress',
    how: 'a core module',
    files: { 'libs/knowledge/src/crawl.ts': uses('node:https') },
  },
  { rule: 'smtp-stays-in-mail', files: { 'libs/runs/src/mail.ts': uses('nodemailer') } },
  { rule: 'git-stays-in-its-connector', files: { 'libs/connectors/src/clone.ts': uses('isomorphic-git') } },
  { rule: 'imap-stays-in-email-triggers', files: { 'libs/triggers/src/email/mailbox.ts': uses('imapflow') } },
  { rule: 'mysql-stays-in-sql-clients', files: { 'libs/runs/src/mysql.ts': uses('mysql2') } },
  {
    rule: 'hostile-protocols-stay-isolated',
    how: 'git',
    files: {
      'libs/connectors/src/git/git-repository.ts': "import git from 'isomorphic-git';\nexport const read = git;",
      'libs/connectors/src/git/git-reader.ts': uses('./git-repository.js'),
    },
  },
  {
    rule: 'hostile-protocols-stay-isolated',
    how: 'IMAP',
    files: {
      'libs/triggers/src/email/imap/imap-session.ts':
        "import { ImapFlow } from 'imapflow';\nexport const session = ImapFlow;",
      'libs/triggers/src/email/imap/imap-reader.ts': uses('./imap-session.js'),
    },
  },
  {
    rule: 'hostile-protocols-stay-isolated',
    how: 'Postgres',
    files: {
      'libs/platform/src/sql-clients/postgres-reader.ts': "import { Client } from 'pg';\nexport const client = Client;",
      'libs/platform/src/sql-clients/table-source.ts': uses('./postgres-reader.js'),
    },
  },
  {
    rule: 'hostile-protocols-stay-isolated',
    how: 'MySQL',
    files: {
      'libs/platform/src/sql-clients/mysql-reader.ts':
        "import { createConnection } from 'mysql2';\nexport const open = createConnection;",
      'libs/platform/src/sql-clients/index.ts': "export { open } from './mysql-reader.js';",
    },
  },
  {
    rule: 'hostile-protocols-stay-isolated',
    how: 'calls of Postgres',
    files: {
      'libs/platform/src/sql-clients/postgres-values.ts': "import pg from 'pg';\nexport const types = pg.types;",
      'libs/platform/src/sql-clients/postgres-call.ts':
        "import { types } from './postgres-values.js';\nexport const call = types;",
      'libs/platform/src/sql-clients/postgres-source.ts': uses('./postgres-call.js'),
    },
  },
  {
    rule: 'hostile-protocols-stay-isolated',
    how: 'calls of MySQL',
    files: {
      'libs/platform/src/sql-clients/mysql-call.ts':
        "import { createConnection } from 'mysql2';\nexport const call = createConnection;",
      'libs/platform/src/sql-clients/mysql-source.ts': uses('./mysql-call.js'),
    },
  },
  { rule: 'mcp-stays-in-mcp', files: { 'libs/runs/src/mcp.ts': uses('@modelcontextprotocol/client') } },
  { rule: 'http-stays-in-api', how: 'express', files: { 'libs/runs/src/route.ts': uses('express') } },
  { rule: 'http-stays-in-api', how: 'class-validator', files: { 'apps/worker/src/body.ts': uses('class-validator') } },

  {
    rule: 'no-cycles',
    files: {
      'libs/runs/src/hen.ts': "import type { Egg } from './egg.js';\nexport interface Hen { lays: Egg }",
      'libs/runs/src/egg.ts': "import type { Hen } from './hen.js';\nexport interface Egg { becomes: Hen }",
    },
  },
  {
    rule: 'no-unresolvable-import',
    how: 'a file',
    files: { 'libs/runs/src/typing-error.ts': uses('./runs.servise.js') },
  },
  { rule: 'no-unresolvable-import', how: 'an alias', files: { 'libs/runs/src/alias.ts': uses('@app/agent') } },
  {
    rule: 'declared-dependencies-only',
    how: 'a development dependency',
    files: { 'libs/runs/src/development.ts': uses('fast-check') },
  },
  {
    rule: 'declared-dependencies-only',
    how: "a dependency's dependency",
    files: { 'libs/runs/src/borrowed.ts': uses('semver') },
  },
  {
    rule: 'no-test-code-in-production',
    how: 'test/',
    files: { 'libs/runs/src/double.ts': uses('../../../test/support/eventually.js') },
  },
  {
    rule: 'no-test-code-in-production',
    how: 'builders',
    files: { 'libs/workspace/src/builder.ts': uses('./testing/workspace.builder.js') },
  },
  { rule: 'no-orphans', files: { 'test/support/forgotten.ts': 'export const forgotten = 1;' } },
  {
    rule: 'no-dead-files',
    how: 'even with a spec',
    files: { 'libs/runs/src/dead.ts': uses('@app/kernel'), 'libs/runs/src/dead.spec.ts': uses('./dead.js') },
  },
  { rule: 'small-stop-listener', files: { 'apps/api/src/stop-listener/heavy.ts': uses('@app/agents') } },
];
