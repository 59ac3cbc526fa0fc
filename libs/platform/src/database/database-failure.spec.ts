import { databaseFailure, isLockTimeoutOn } from './database-failure.js';

/** Returns the error that the driver throws after a lock timeout. `where` is the context that Postgres reports. */
function lockTimeout(where: string): Error {
  return Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03', where });
}

describe('a lock timeout', () => {
  it.each([
    ['English', 'while inserting index tuple (0,1) in relation "idempotency_keys"\nPL/pgSQL function create_run()'],
    ['German', 'beim Sperren von Tupel (0,1) in Relation »idempotency_keys«\nPL/pgSQL-Funktion create_run()'],
    ['French', 'lors du verrouillage de la ligne (0, 1) de la relation « idempotency_keys »'],
    ['Spanish', 'mientras se bloqueaba la tupla (0,1) de la relación «idempotency_keys»'],
  ])('is attributed to the table of the row, in every language of the server: %s', (_, where) => {
    expect(isLockTimeoutOn(lockTimeout(where), 'idempotency_keys')).toBe(true);
    expect(isLockTimeoutOn(lockTimeout(where), 'trigger_receipts')).toBe(false);
  });

  it.each([
    ['of another table', 'while locking tuple (0,1) in relation "workspaces"\nSQL statement on "idempotency_keys"'],
    ['of no row', 'SQL statement "insert into idempotency_keys as k (key) values ($1)"'],
  ])('is not attributed to the table for a lock %s', (_, where) => {
    expect(isLockTimeoutOn(lockTimeout(where), 'idempotency_keys')).toBe(false);
  });
});

function refusal(code: string): Error {
  return Object.assign(new Error('refused'), { code });
}

describe('a failure of the database', () => {
  it.each([
    ['53100', 'database_disk_full', /disk of the database server is full. Free space/],
    ['25006', 'database_read_only', /read-only, for example a standby/],
    ['26000', 'prepared_statements_lost', /Restart the process/],
    ['42P05', 'prepared_statements_lost', /Restart the process/],
  ])('is reported with its cause and the remedy if Postgres names the cause: %s', (code, reason, detail) => {
    expect(databaseFailure(refusal(code))).toMatchObject({
      code: 'unavailable',
      extensions: { reason },
      message: expect.stringMatching(detail),
    });
  });

  it.each(['08006', '08P01', '53300', '57P01', '57P03', 'ECONNREFUSED', 'EAI_AGAIN'])(
    'is reported as unavailable without a cause if it is temporary: %s',
    (code) => {
      const failure = databaseFailure(refusal(code));
      expect(failure).toMatchObject({ code: 'unavailable', extensions: {} });
    },
  );

  it.each(['22012', '23505', '42P01'])('is left unchanged if the statement is the mistake: %s', (code) => {
    const error = refusal(code);
    expect(databaseFailure(error)).toBe(error);
  });
});
