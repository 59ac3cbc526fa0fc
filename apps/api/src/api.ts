import type { NestExpressApplication } from '@nestjs/platform-express';
import { apiConfig } from '@app/installation/settings';
import { TenantRole } from '@app/platform/database';
import { type ApiDependencies, ApiModule } from './api.module.js';
import { serveConsole } from './console/serve-console.js';
import { serveGuides } from './guides/serve-guides.js';
import { createHttpApp } from './http/http-app.js';
import { ApiDocumentService } from './openapi/api-document.service.js';
import { RUN_UNIONS } from './runs/run-events.api.js';

/**
 * Returns an initialised app that does not listen yet.
 * @throws Error if a route declares no access
 */
export async function createApi(dependencies: ApiDependencies): Promise<NestExpressApplication> {
  const app = await createHttpApp(ApiModule.of(dependencies), dependencies);
  // The guides are registered first, because the API document handles all other paths below /docs.
  if (!serveGuides(app)) dependencies.logger.warn('guides: the build lacks the guides, so /docs/guides/ returns 404');
  app.get(ApiDocumentService).publish(app, RUN_UNIONS);
  if (dependencies.config.get(apiConfig).console === 'on' && !serveConsole(app))
    dependencies.logger.warn('console: the build lacks the console, so /console/ returns 404');
  if (app.get(TenantRole, { strict: false }).role === undefined) dependencies.logger.warn(NO_TENANT_ROLE);
  return app.init();
}

/**
 * The API logs this warning when it starts without row-level security. It still starts, because each SQL statement also
 * filters by workspace.
 */
const NO_TENANT_ROLE =
  'row-level security is not in force: the tenant role does not exist, or the database user may not use it (docs/security.md)';
