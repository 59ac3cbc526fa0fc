/**
 * A rule about statements that a migration must not contain. Such statements would break processes of the previous
 * release, which still run during the migration (see docs/operations.md).
 */
export interface Rule {
  name: string;
  /**
   * Returns whether the statement breaks the rule. The statement is in lower case with single spaces. `created`
   * contains the tables and indexes that the same migration creates.
   */
  breaks: (statement: string, created: ReadonlySet<string>) => boolean;
  remedy: string;
}

const TABLE = '(?:only )?"?([a-z_]+)"?';

/** Returns the table that a statement changes, or undefined if it changes none. */
function tableOf(statement: string): string | undefined {
  const forms = [
    new RegExp(`^alter table (?:if exists )?${TABLE}`),
    new RegExp(`^create (?:unique )?index .*? on ${TABLE}`),
    new RegExp(`^(?:update|delete from|truncate(?: table)?|lock(?: table)?) ${TABLE}`),
  ];
  return forms.map((form) => form.exec(statement)?.[1]).find((table) => table !== undefined);
}

/**
 * Restricts a rule to tables that existed before the migration. No process uses a table that the same migration
 * creates.
 */
const onUsed =
  (pattern: RegExp, but?: RegExp): Rule['breaks'] =>
  (statement, created) =>
    pattern.test(statement) && !(but?.test(statement) ?? false) && !created.has(tableOf(statement) ?? '');

export const RULES: readonly Rule[] = [
  {
    name: 'drops a column or a table',
    breaks: (statement) =>
      /^drop table/.test(statement) ||
      /\bdrop (column )?(if exists )?(?!constraint|default|not null|index|expression|identity)[a-z_"]+/.test(
        alterations(statement),
      ),
    remedy: 'Stop using it in one release and drop it in the next.',
  },
  {
    name: 'renames',
    breaks: (statement, created) => /^alter .* rename /.test(statement) && !makesRoom(statement, created),
    remedy: 'Add the new name beside the old one, write both, read the new one, drop the old one a release later.',
  },
  {
    name: 'changes the type of a column',
    breaks: onUsed(/\balter (column )?[a-z_"]+ (set data )?type /),
    remedy: 'It rewrites the table under an exclusive lock. Add a column of the new type and move over.',
  },
  {
    name: 'makes a column not null',
    breaks: onUsed(/\balter (column )?[a-z_"]+ set not null/),
    remedy:
      'It reads the whole table under an exclusive lock, and old processes write nulls. Add a check `not valid`, validate it later.',
  },
  {
    name: 'adds a column that old processes do not fill',
    breaks: onUsed(
      /\badd (column )?(?!constraint|check|foreign|unique|primary)[a-z_"]+ [^,]*\bnot null\b/,
      /\bdefault\b/,
    ),
    remedy: 'Let it be null, or give it a constant default.',
  },
  {
    name: 'adds a column with a default that is computed for every row',
    breaks: onUsed(/\badd (column )?[a-z_"]+ [^,]*\bdefault [a-z_]+\(/),
    remedy: 'It rewrites the table. Add the column without default and set the default afterwards.',
  },
  {
    name: 'adds a constraint that reads the whole table',
    breaks: onUsed(/\badd (constraint [a-z_"]+ )?(check|foreign key) ?\(/, /\bnot valid\b/),
    remedy: 'Add it `not valid` and validate it in a statement of its own.',
  },
  {
    name: 'builds an index that blocks writes',
    breaks: onUsed(/^create (unique )?index (?!concurrently)/),
    remedy: 'create index concurrently, in a migration with `transaction = false`, or on a table that is new.',
  },
  {
    name: 'adds a unique or primary key by building its index under a lock',
    breaks: onUsed(/\badd (constraint [a-z_"]+ )?(unique|primary key) ?\(/),
    remedy: 'Build the index concurrently, then `add constraint … using index`.',
  },
  {
    name: 'drops an index under a lock',
    breaks: (statement) => /^drop index (?!concurrently)/.test(statement),
    remedy: 'drop index concurrently, in a migration with `transaction = false`.',
  },
  {
    name: 'rewrites rows in one go',
    breaks: onUsed(/^(update|delete from|truncate|lock) /),
    remedy: 'Fill in batches from a periodic task, not in the transaction of a migration.',
  },
  {
    name: 'drops a function that old processes call',
    breaks: (statement) => /^drop (function|procedure|trigger|type|view|schema)/.test(statement),
    remedy: 'Functions are replaced, or get another name; old ones are dropped a release later.',
  },
];

/**
 * Returns whether the statement renames a table so that a new table can have its name. Processes of the previous
 * release then use the new table.
 */
function makesRoom(statement: string, created: ReadonlySet<string>): boolean {
  const name = /^alter (?:table|index) "?([a-z_]+)"? rename (?:to|constraint) /.exec(statement)?.[1];
  return name !== undefined && created.has(name);
}

/** Returns the clauses of an `alter table` statement. Returns an empty text for other statements. */
function alterations(statement: string): string {
  return /^alter table (?:if exists )?(?:only )?"?[a-z_]+"? (.*)$/.exec(statement)?.[1] ?? '';
}

/** Returns the rules that the statements of one migration break, with the statement that breaks each rule. */
export function brokenRules(statements: readonly string[]): { rule: string; remedy: string; statement: string }[] {
  const plain = statements.map((statement) =>
    statement
      .replaceAll(/--.*$/gm, ' ')
      .replaceAll(/'[^']*'/g, "''")
      .replaceAll(/\s+/g, ' ')
      .trim()
      .toLowerCase(),
  );
  const created = new Set(
    plain.flatMap(
      (statement) => /^create (?:table|index|unique index) (?:if not exists )?"?([a-z_]+)"?/.exec(statement)?.[1] ?? [],
    ),
  );
  return plain.flatMap((statement) =>
    RULES.filter(({ breaks }) => breaks(statement, created)).map(({ name, remedy }) => ({
      rule: name,
      remedy,
      statement,
    })),
  );
}
