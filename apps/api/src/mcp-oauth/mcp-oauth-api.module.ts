import { Module } from '@nestjs/common';
import { AuthorizationController } from './authorization.controller.js';
import { AuthorizationRequestsController } from './authorization-requests.controller.js';
import { AuthorizationRequestsService } from './authorization-requests.service.js';
import { AuthorizationServerService } from './authorization-server.service.js';
import { ClientDocumentsService } from './client-documents.service.js';
import { ClientRegistrationController } from './client-registration.controller.js';
import { ClientRegistrationsService } from './client-registrations.service.js';
import { OauthClientsController } from './oauth-clients.controller.js';
import { OauthMetadataController } from './oauth-metadata.controller.js';
import { OidcRecordsService } from './oidc-records.service.js';

/** Access of MCP clients by OAuth. Its routes exist in every installation, so that the OpenAPI document is the same. */
@Module({
  controllers: [
    OauthMetadataController,
    AuthorizationController,
    AuthorizationRequestsController,
    ClientRegistrationController,
    OauthClientsController,
  ],
  providers: [
    AuthorizationRequestsService,
    AuthorizationServerService,
    ClientDocumentsService,
    ClientRegistrationsService,
    OidcRecordsService,
  ],
})
export class McpOauthApiModule {}
