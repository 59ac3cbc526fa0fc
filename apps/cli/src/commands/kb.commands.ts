import type { Command } from 'commander';
import type { AgentAutomation, Duration, KnowledgeBase } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { agentIdOf, assignments, collected, duration, positiveInteger } from '../input/command-arguments.js';
import { usageError } from '../errors/command-error.js';
import { readInputObject } from '../input/input-document.js';
import { listCommand } from './list-command.js';
import { pushFiles } from './push-files.js';
import { printSyncs, syncBase } from './source-sync.js';

type Bases = AgentAutomation['knowledgeBases'];
type Source = Awaited<ReturnType<AgentAutomation['sources']['get']>>;
type Passage = Awaited<ReturnType<Bases['search']>>['data'][number];
type Grants = Parameters<Bases['replaceAccess']>[1];
type AccessOptions = Grants & { add?: boolean };

const KINDS = ['users', 'groups', 'channels', 'agents'] as const;

const BASE = 'name or id of the knowledge base';

export function configureKb(kb: Command, cli: Cli): void {
  listCommand(kb.command('list').description('List knowledge bases.'), cli, {
    filters: [{ parameter: 'name', summary: 'only the base with this name' }],
    columns: [
      ['NAME', (base) => base.name],
      ['DOCUMENTS', (base) => base.document_count],
      ['LAST SYNC', (base) => base.last_synced_at],
      ['ID', (base) => base.id],
    ],
    nameOf: (base: KnowledgeBase) => base.name,
    rows: (aas, query: Parameters<Bases['list']>[0]) => aas.knowledgeBases.list(query),
  });
  kb.command('create')
    .description('Create a knowledge base.')
    .argument('<name>', 'name of the knowledge base')
    .option('--description <text>', 'description of the knowledge base')
    .action(
      cli.action(async (name: string, { description }: { description?: string }) => {
        const aas = await cli.client();
        const base = await aas.knowledgeBases.create({ name, ...(description !== undefined && { description }) });
        await cli.output.object(base, base.name);
      }),
    );
  addAccess(kb, cli);
  addSources(kb.command('sources').description('List, add, authorise and sync the sources of a base.'), cli);
  addSync(kb, cli);
  addSearch(kb, cli);
  kb.command('push')
    .description('Push files into the upload source of a base. The source is created if the base has none.')
    .argument('<base>', BASE)
    .argument('<files...>', 'files, or folders that contain them')
    .option('--wait', 'wait until the files are indexed')
    .option('--timeout <duration>', 'stop waiting after this time; the indexing continues', duration)
    .action(
      cli.action(async (base: string, files: string[], options: WaitOptions) => {
        requireWait(options);
        return printSyncs(await cli.client(), cli, base, await pushFiles(cli, base, files), options);
      }),
    );
}

function addAccess(kb: Command, cli: Cli): void {
  kb.command('access')
    .description('Show who may read a base. Each option replaces all grants of its kind, unless --add is given.')
    .argument('<base>', BASE)
    .option('--users <email...>', 'members')
    .option('--groups <name...>', 'groups')
    .option('--channels <type:id...>', 'channels')
    .option('--agents <agent...>', 'agents (name or id)')
    .option('--add', 'keep the existing grants')
    .action(
      cli.action(async (base: string, { add = false, ...options }: AccessOptions) => {
        const aas = await cli.client();
        const { users, groups, channels, agents } = await aas.knowledgeBases.getAccess(base);
        const present = { users, groups, channels, agents };
        const named = options.agents && (await Promise.all(options.agents.map((agent) => agentIdOf(aas, agent))));
        const grants: Grants = named ? { ...options, agents: named } : options;
        const kinds = KINDS.filter((kind) => grants[kind] !== undefined);
        if (kinds.length === 0) return cli.output.object(present, base);
        const wanted = { ...present };
        for (const kind of kinds) wanted[kind] = [...new Set([...(add ? present[kind] : []), ...(grants[kind] ?? [])])];
        const granted = await aas.knowledgeBases.replaceAccess(base, wanted);
        for (const kind of kinds) {
          const removed = present[kind].filter((each) => !wanted[kind].includes(each));
          if (removed.length > 0) cli.output.words(`Removed from ${kind}: ${removed.join(', ')}`);
        }
        await cli.output.object(granted, base);
      }),
    );
}

interface SourceOptions {
  config?: string[];
  configFile?: string;
  schedule?: NonNullable<Parameters<AgentAutomation['sources']['create']>[1]['schedule']>;
}

function addSources(sources: Command, cli: Cli): void {
  listCommand(sources.command('list').description('List the sources of a base.').argument('<base>', BASE), cli, {
    columns: [
      ['ID', (source) => source.id],
      ['CONNECTOR', (source) => source.connector],
      ['STATUS', (source) => source.status],
      ['DOCUMENTS', (source) => source.document_count],
      ['NEXT SYNC', (source) => source.next_sync_at],
      ['ERROR', (source) => source.error?.code],
    ],
    nameOf: (source: Source) => source.id,
    rows: (aas, query: Parameters<AgentAutomation['sources']['list']>[1], base) => aas.sources.list(base, query),
  });
  sources
    .command('add')
    .description('Add a source to a base.')
    .argument('<base>', BASE)
    .argument('<connector>', 'connector of the source, for example website or git')
    .option('--config <name=text>', 'a setting of the source as a string; `name:=json` for other values', collected)
    .option('--config-file <file>', 'the configuration as JSON or YAML; - is standard input')
    .option('--schedule <schedule>', 'manual, hourly, daily or weekly')
    .action(
      cli.action(async (base: string, connector: string, { config, configFile, schedule }: SourceOptions) => {
        const file = configFile === undefined ? {} : await readInputObject(configFile, cli.terminal, '--config-file');
        const source = await (
          await cli.client()
        ).sources.create(base, {
          connector,
          config: { ...file, ...assignments(config ?? [], '--config') },
          ...(schedule !== undefined && { schedule }),
        });
        await cli.output.object(source, source.id);
      }),
    );
  sources
    .command('authorize')
    .description('Print the address at which a person authorises a source.')
    .argument('<base>', BASE)
    .argument('<source>', 'id of the source')
    .action(
      cli.action(async (base: string, source: string) => {
        const authorisation = await (await cli.client()).sources.authorize(base, source);
        await cli.output.object(authorisation, authorisation.authorize_url);
      }),
    );
}

interface WaitOptions {
  wait?: boolean;
  timeout?: Duration;
}

interface SyncOptions extends WaitOptions {
  source?: string;
}

function requireWait({ wait = false, timeout }: WaitOptions): void {
  if (timeout !== undefined && !wait) throw usageError('--timeout needs --wait.', '--timeout', 'Add --wait.');
}

function addSync(kb: Command, cli: Cli): void {
  kb.command('sync')
    .description('Sync the sources of a base.')
    .argument('<base>', BASE)
    .option('--source <id>', 'only this source')
    .option('--wait', 'wait until the syncs have ended: exit 1 if one failed')
    .option('--timeout <duration>', 'stop waiting after this time; the syncs continue', duration)
    .action(
      cli.action(async (base: string, { source, ...options }: SyncOptions) => {
        requireWait(options);
        const aas = await cli.client();
        return printSyncs(aas, cli, base, await syncBase(aas, base, source), options);
      }),
    );
}

function addSearch(kb: Command, cli: Cli): void {
  kb.command('search')
    .description('Search a base.')
    .argument('<base>', BASE)
    .argument('<query>', 'what to search for')
    .option('--limit <n>', 'number of passages', positiveInteger)
    .action(
      cli.action(async (base: string, query: string, { limit }: { limit?: number }) => {
        const body = { query, ...(limit !== undefined && { top_k: limit }) };
        const { data } = await (await cli.client()).knowledgeBases.search(base, body);
        await cli.output.list<Passage>(data, {
          columns: [
            ['SCORE', (passage) => passage.score.toFixed(3)],
            ['DOCUMENT', (passage) => passage.document.title],
            ['HEADING', (passage) => passage.heading],
            ['TEXT', (passage) => passage.text],
          ],
          nameOf: (passage) => passage.document.id,
        });
      }),
    );
}
