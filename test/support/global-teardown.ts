/** Ends the shared programs and the PostgreSQL server of this jest run and removes its files, even if tests have failed. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.stopTestServers?.();
}
