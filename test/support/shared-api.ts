import { addMemberKey, addWorkspace } from './added-workspace.js';
import { call, type HttpApi } from './http-api.js';
import { KeptStack } from './kept-stack.js';

/** Settings of some files that do not disturb the others. */
const SETTINGS = { EGRESS_ALLOW: '127.0.0.1/32:8080', RATE_LIMIT_SIGN_IN: '0' };

/**
 * Returns the API that all test files of a jest worker use, one file after the other. It runs in its own process,
 * without workers, so runs stay queued. Use `startApi` if the test needs other settings, the log or a class of the API.
 */
export async function sharedApi(): Promise<HttpApi> {
  const kept = await KeptStack.join({
    name: 'api',
    doors: [],
    settings: () => SETTINGS,
  });
  return {
    databaseUrl: kept.databaseUrl,
    url: kept.url,
    port: kept.port,
    newTenant: async () => {
      const { workspaceId, adminKey } = await addWorkspace(kept);
      return {
        workspaceId,
        adminKey,
        key: (role, kind = 'live') =>
          addMemberKey(kept, { workspaceId, email: `${role}@example.com`, role, kind, name: `${role} ${kind}` }),
      };
    },
    execute: async (sql) => {
      await kept.query(sql);
    },
    call: (method, path, options) => call(`${kept.url}${path}`, method, options),
    close: () => kept.leave(),
  };
}
