/** Stops the PostgreSQL of this jest run and removes its files, also after failed tests. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.stopTestPostgres?.();
}
