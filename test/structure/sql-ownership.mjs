/**
 * Finds SQL that accesses the tables or functions of another lib without permission. Import rules do not cover SQL, so
 * this script reads all SQL text: functions and migrations in `.sql` files, and string literals in TypeScript.
 *
 * A lib may write only its own tables. It may read the tables and call the SQL functions of the libs that it may
 * import. The functions of a lib are in a separate schema. A port is an SQL function that a lib calls and that a higher
 * lib installs. A lib may add a foreign key from a table that it may read to one of its own tables.
 */
import ts from 'typescript';

/** The lib that owns each table. System catalogues and temporary tables are not listed. */
const TABLE_OWNERS = {
  platform: ['schema_functions'],
  workspace: [
    'workspaces',
    'members',
    'groups',
    'group_members',
    'api_keys',
    'secrets',
    'audit_events',
    'idempotency_keys',
    'former_secrets',
    'sessions',
    'sign_in_tokens',
    'member_identities',
    'spent_sign_ins',
    'mcp_clients',
    'mcp_requests',
    'mcp_tokens',
  ],
  agents: ['agents', 'agent_versions', 'agent_version_tools', 'agent_promotions', 'evaluations'],
  connections: ['connections', 'knowledge_authorizations', 'knowledge_source_tokens', 'oauth_tokens'],
  files: ['file_links', 'file_references', 'file_storage', 'file_usage', 'files', 'fixtures'],
  knowledge: [
    'knowledge_bases',
    'knowledge_chunks',
    'knowledge_crawl_pages',
    'knowledge_documents',
    'knowledge_grants',
    'knowledge_page_links',
    'knowledge_sources',
    'knowledge_syncs',
    'knowledge_texts',
    'knowledge_uploads',
    'knowledge_vectors',
    'knowledge_words',
  ],
  events: ['events', 'webhook_claims', 'webhook_deliveries', 'webhook_endpoints', 'webhook_messages'],
  runs: [
    'approvals',
    'budget_reservations',
    'bulk_action_results',
    'bulk_actions',
    'child_runs',
    'listed_runs',
    'model_usage',
    'run_callbacks',
    'run_steps',
    'runs',
    'state_entries',
    'state_writes',
    'turn_messages',
    'turn_states',
    'workers',
    'ended_runs',
    'run_statistics',
  ],
  triggers: ['mailbox_watches', 'poll_watches', 'trigger_events', 'trigger_receipts', 'triggers'],
  evaluation: ['evaluation_trials'],
};

const OWNER_OF = new Map(Object.entries(TABLE_OWNERS).flatMap(([lib, tables]) => tables.map((table) => [table, lib])));

const ALL_LIBS = Object.keys(TABLE_OWNERS);

const WRITES = String.raw`insert\s+into|update(?:\s+only)?|delete\s+from|truncate(?:\s+table)?|merge\s+into|create\s+table(?:\s+if\s+not\s+exists)?|alter\s+table|lock\s+table|copy`;
const READS = String.raw`from|join|using|references|on|table`;
const tableAfter = (keywords) => new RegExp(String.raw`\b(${keywords})\s+(?:only\s+)?(?:public\.)?"?([a-z_]+)"?`, 'gi');
const FOREIGN_KEY = /\balter\s+table\s+(\w+)\s+add\s+constraint\s+\w+\s+foreign\s+key\b/gi;
const WRITTEN = tableAfter(WRITES);
const READ = tableAfter(READS);
/** The lib that owns the SQL functions of each schema. */
const SCHEMA_OWNERS = {
  platform: 'platform',
  workspace: 'workspace',
  events: 'events',
  files: 'files',
  agents: 'agents',
  run_machine: 'runs',
  triggers: 'triggers',
  evaluation: 'evaluation',
};
const PORTS = new Set(['events.event_snapshot', 'events.has_subject']);
const FUNCTION = String.raw`(${Object.keys(SCHEMA_OWNERS).join('|')})\.([a-z_]+)\s*\(`;
const DEFINED = new RegExp(String.raw`create\s+(?:or\s+replace\s+)?(?:function|procedure)\s+${FUNCTION}`, 'gi');
const CALLED = new RegExp(String.raw`\b${FUNCTION}`, 'gi');
const IS_SQL =
  /\b(select|insert\s+into|update|delete\s+from|truncate|alter\s+table|create\s+\w+|lock\s+table|merge\s+into|call)\b/i;

/**
 * @param {readonly {path: string, text: string}[]} files product files without tests
 * @param {ReadonlyMap<string, ReadonlySet<string>>} mayImport the libs that each lib may import
 * @returns {string[]} one line for each lib, operation and table or function that is not allowed: `libs/x/a.sql writes
 * runs (runs)`
 */
export function foreignSql(files, mayImport) {
  const texts = files.flatMap(({ path, text }) =>
    sqlTexts(path, text).map((sql) => ({ path, sql: sql.replace(FOREIGN_KEY, 'on $1 ') })),
  );
  const found = new Set();
  for (const { path, sql } of texts) {
    const lib = libOf(path);
    // Apps may import every lib, so they may read every table.
    const reach = new Set(path.startsWith('apps/') ? ALL_LIBS : [lib, ...(mayImport.get(lib) ?? [])]);
    for (const table of tablesIn(sql, WRITTEN)) {
      const owner = OWNER_OF.get(table);
      if (owner !== lib) found.add(`${path} writes ${table} (${owner})`);
    }
    for (const table of tablesIn(sql, READ)) {
      const owner = OWNER_OF.get(table);
      if (!reach.has(owner)) found.add(`${path} reads ${table} (${owner})`);
    }
    for (const [, schema, name] of sql.matchAll(DEFINED)) {
      const owner = SCHEMA_OWNERS[schema];
      if (owner !== lib && !PORTS.has(`${schema}.${name}`)) found.add(`${path} defines ${schema}.${name} (${owner})`);
    }
    for (const [, schema, name] of sql.matchAll(CALLED)) {
      const owner = SCHEMA_OWNERS[schema];
      if (!reach.has(owner)) found.add(`${path} calls ${schema}.${name} (${owner})`);
    }
  }
  return [...found].sort();
}

function tablesIn(sql, pattern) {
  return [...sql.matchAll(pattern)].map(([, , table]) => table.toLowerCase()).filter((table) => OWNER_OF.has(table));
}

/** Returns the lib or app of a path: `runs` for libs/runs/…, and `apps/api` for apps/api/…. */
function libOf(path) {
  const [root, name] = path.split('/');
  return root === 'libs' ? name : `${root}/${name}`;
}

/** Returns the SQL texts of a file: the whole `.sql` file, or the string literals of a `.ts` file that contain SQL. */
export function sqlTexts(path, text) {
  if (path.endsWith('.sql')) return [withoutComments(text)];
  if (!path.endsWith('.ts')) return [];
  const texts = [];
  const visit = (node) => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) texts.push(node.text);
    else if (ts.isTemplateExpression(node))
      texts.push([node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join(' $ '));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return texts.filter((each) => IS_SQL.test(each)).map(withoutComments);
}

function withoutComments(sql) {
  return sql.replace(/--[^\n]*/g, ' ').replace(/\/\*[^]*?\*\//g, ' ');
}
