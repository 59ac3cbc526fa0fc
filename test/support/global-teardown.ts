/** Stops the PostgreSQL of this jest run and removes its files, whether the tests passed or not. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.stopTestPostgres?.();
}
