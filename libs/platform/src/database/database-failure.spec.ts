import { waitedInVainFor } from './database-failure.js';

/** What the driver throws; `where`: how Postgres reports where it was. */
function lockTimeout(where: string): Error {
  return Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03', where });
}

describe('a wait for a lock that was in vain', () => {
  it.each([
    ['English', 'while inserting index tuple (0,1) in relation "idempotency_keys"\nPL/pgSQL function create_run()'],
    ['German', 'beim Sperren von Tupel (0,1) in Relation »idempotency_keys«\nPL/pgSQL-Funktion create_run()'],
    ['French', 'lors du verrouillage de la ligne (0, 1) de la relation « idempotency_keys »'],
    ['Spanish', 'mientras se bloqueaba la tupla (0,1) de la relación «idempotency_keys»'],
  ])('is one for a row of its table, whatever language Postgres speaks: %s', (_, where) => {
    expect(waitedInVainFor(lockTimeout(where), 'idempotency_keys')).toBe(true);
    expect(waitedInVainFor(lockTimeout(where), 'trigger_receipts')).toBe(false);
  });

  it.each([
    ['of another table', 'while locking tuple (0,1) in relation "workspaces"\nSQL statement on "idempotency_keys"'],
    ['of no row', 'SQL statement "insert into idempotency_keys as k (key) values ($1)"'],
  ])('is not one for a lock %s', (_, where) => {
    expect(waitedInVainFor(lockTimeout(where), 'idempotency_keys')).toBe(false);
  });
});
