import type { JsonObject } from '@app/kernel';
import type { CheckContext } from '../contract/check-context.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import type { Problems } from '../contract/problems.js';
import { list, object, pattern, text, whole } from '../contract/building-blocks.js';
import { schemaValidator } from '@app/json-schema';
import type { SqlCall, SqlTool, ToolOperation } from '../model/compiled-tool.js';
import { hasMysqlInto, readSql, type SqlDialect, SqlError, type SqlStatement } from '../sql/sql-statement.js';
import { checkEffect, checkTimeout } from '../contract/operation-checks.js';
import type { ToolCompilation } from '../contract/tool-compilation.js';
import {
  connection,
  describeTarget,
  effect,
  scope,
  simulate,
  timeout,
  toolName,
  type ToolDescriptor,
} from '../contract/tool-descriptor.js';

const DEFAULT_MAX_ROWS = 1_000;
const MAX_ROWS = 10_000;
const READS = ['select', 'with', 'values', 'table'];
const WRITES = [...READS, 'insert', 'update', 'delete', 'merge', 'replace', 'call'];
const DSN_SECRET = /^\$\{\{\s*secrets\.([A-Za-z_][A-Za-z0-9_]{0,127})\s*\}\}$/;

const NAMES: Readonly<Record<SqlDialect, string>> = { postgres: 'Postgres', mysql: 'MySQL or MariaDB' };
const MARKS: Readonly<Record<SqlDialect, string>> = { postgres: '`$1`, `$2` …', mysql: '`?`' };

/** The schema `#/$defs/sqlOperation`. */
export const sqlOperationSchema = object(
  'An SQL operation of the tool, called `<tool>.<name>` in steps, policies and traces.',
  {
    name: pattern('Name of the operation.', 'operationName'),
    description: text('Purpose of the operation, which the model reads.'),
    scope: {
      ...scope,
      description: 'Whether a call changes anything. Default: write. A read runs in a read-only transaction.',
    },
    effect,
    sql: text('One SQL statement. Its parameters are `$1`, `$2` … in Postgres and `?` in MySQL.', {
      maxLength: 20_000,
    }),
    params: list(
      'Names of the arguments that become the parameters of the statement, in order.',
      pattern('Name of an argument.', 'variable'),
      100,
    ),
    max_rows: whole('Maximum number of rows in the output.', 1, MAX_ROWS, { default: DEFAULT_MAX_ROWS }),
    timeout,
    simulate,
  },
  ['name', 'sql'],
);

function sqlTool<Dialect extends SqlDialect>(dialect: Dialect): Omit<ToolDescriptor<Dialect>, 'compile'> {
  return {
    schema: object(
      `SQL statements for a ${NAMES[dialect]} database.`,
      {
        name: toolName,
        type: text(dialect),
        description: connection.description,
        dsn: text(`Address and credentials of the database: one secret, as \`\${{ secrets.NAME }}\`.`),
        operations: list(
          'Operations of the tool, each with one SQL statement.',
          { $ref: '#/$defs/sqlOperation' },
          100,
          { minItems: 1 },
        ),
      },
      ['name', 'type', 'dsn', 'operations'],
    ),
    check: (node, input) => checkTool(node, dialect, input),
    target: ['dsn'],
    describe: describeTarget,
  };
}

export const postgresTool: ToolDescriptor<'postgres'> = {
  ...sqlTool('postgres'),
  compile: (base, at) => ({ ...base, kind: 'postgres', ...compileParts(at, 'postgres') }),
};

export const mysqlTool: ToolDescriptor<'mysql'> = {
  ...sqlTool('mysql'),
  compile: (base, at) => ({ ...base, kind: 'mysql', ...compileParts(at, 'mysql') }),
};

function compileParts(
  at: ToolCompilation,
  dialect: SqlDialect,
): Pick<SqlTool, 'dsnSecret' | 'secretNames' | 'operations'> {
  const dsnSecret = DSN_SECRET.exec(at.node.text('dsn'))?.[1] ?? '';
  const path = at.node.pathOf('dsn');
  if (dsnSecret !== '') at.context.secretUses.push({ name: dsnSecret, path });
  const operations = new Map<string, ToolOperation>();
  for (const node of at.node.items('operations')) {
    const name = node.text('name');
    if (operations.has(name)) {
      const detail = `\`${at.name}\` has two operations named \`${name}\`.`;
      at.context.problems.error(node.pathOf('name'), detail, 'Rename one.');
    } else operations.set(name, compileOperation(node, at, dialect));
  }
  return { dsnSecret, secretNames: dsnSecret === '' ? [] : [dsnSecret], operations };
}

function compileOperation(node: DefinitionNode, at: ToolCompilation, dialect: SqlDialect): ToolOperation {
  const params = node.texts('params');
  const properties = Object.fromEntries(params.map((name): [string, JsonObject] => [name, {}]));
  const required = [...new Set(params)];
  return {
    ...at.operation(node, node.text('name'), 'write'),
    description: node.optionalText('description'),
    request: schemaValidator({ type: 'object', required, additionalProperties: false, properties }),
    sql: compileStatement(node, params, dialect),
  };
}

function compileStatement(node: DefinitionNode, params: readonly string[], dialect: SqlDialect): SqlCall {
  const source = node.text('sql');
  const statement = statementIn(source, dialect);
  const parameters = statement instanceof SqlError ? [] : statement.parameters;
  return { text: source, params, parameters, maxRows: node.numberOr('max_rows', DEFAULT_MAX_ROWS) };
}

function statementIn(source: string, dialect: SqlDialect): SqlStatement | SqlError {
  try {
    return readSql(source, dialect);
  } catch (error) {
    if (error instanceof SqlError) return error;
    throw error;
  }
}

function checkTool(node: DefinitionNode, dialect: SqlDialect, { compiled, problems }: CheckContext): void {
  if (!DSN_SECRET.test(node.text('dsn')))
    problems.error(
      node.pathOf('dsn'),
      '`dsn` must be exactly one secret, because a DSN contains a password.',
      'Store the DSN with `PUT /v1/secrets/{name}` and write `"${{ secrets.NAME }}"`.',
    );
  for (const operation of node.items('operations')) {
    const known = compiled.operations.get(`${node.text('name')}.${operation.text('name')}`);
    if (known) checkEffect(operation, known, problems);
    checkTimeout(operation, problems);
    checkStatement(operation, dialect, known?.scope === 'read' ? READS : WRITES, problems);
  }
}

function checkStatement(node: DefinitionNode, dialect: SqlDialect, words: readonly string[], problems: Problems): void {
  const [source, path] = [node.text('sql'), node.pathOf('sql')];
  if (source.includes('${{')) {
    const remedy = `Write a parameter (${MARKS[dialect]}) and name the member of the request in \`params\`.`;
    return problems.error(path, 'A statement contains no expressions, because their values could contain SQL.', remedy);
  }
  const statement = statementIn(source, dialect);
  if (statement instanceof SqlError) return problems.error(path, statement.message, statement.suggestion);
  if (statement.hasMore)
    return problems.error(path, 'The text has more than one statement.', 'Write one operation for each statement.');
  if (statement.firstWord === '')
    return problems.error(path, 'The text contains no statement.', `A statement may begin with ${words.join(', ')}.`);
  if (!words.includes(statement.firstWord)) {
    const isWrite = WRITES.includes(statement.firstWord);
    const subject = words === READS ? 'The statement of a read operation' : 'A statement';
    const detail = `${subject} must not begin with \`${statement.firstWord}\`.`;
    const remedy = isWrite ? 'Write `scope: write`, or remove `scope`.' : `It may begin with ${words.join(', ')}.`;
    problems.error(path, detail, remedy);
  }
  if (words === READS && dialect === 'mysql' && hasMysqlInto(source))
    problems.error(
      path,
      'The statement of a read operation must not contain `into`, because it writes a file on the server or a variable.',
      'Remove `into`. Write a column of this name as `` `into` ``.',
    );
  checkParameters(node, statement, dialect, problems);
}

/** Reports parameters of the statement that have no name in `params`, and names in `params` that have no parameter. */
function checkParameters(
  node: DefinitionNode,
  { parameters }: SqlStatement,
  dialect: SqlDialect,
  problems: Problems,
): void {
  const count = node.texts('params').length;
  const used = new Set(parameters.map(({ index }) => index));
  const highest = Math.max(-1, ...used) + 1;
  if (used.size === count && highest === count && !used.has(-1)) return;
  const path = node.has('params') ? node.pathOf('params') : node.pathOf('sql');
  const detail = `The statement has ${used.size} parameters (${MARKS[dialect]}), and \`params\` has ${count} names.`;
  const remedy =
    dialect === 'postgres' && used.size > 0 && highest !== used.size
      ? 'Number the parameters from `$1` without gaps.'
      : 'Write one name in `params` for each parameter.';
  problems.error(path, detail, remedy);
}
