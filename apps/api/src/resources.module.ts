import { Module } from '@nestjs/common';
import { AgentVersionsController } from './agent-versions/agent-versions.controller.js';
import { AgentChangesService } from './agents/agent-changes.service.js';
import { AgentReaderService } from './agents/agent-reader.service.js';
import { AgentsController } from './agents/agents.controller.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ResourceNamesModule } from './http/resource-names.module.js';
import { ApiKeyRequestsService } from './api-keys/api-key-requests.service.js';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { AuditEventsController } from './audit-events/audit-events.controller.js';
import { BulkActionRequestsService } from './bulk-actions/bulk-action-requests.service.js';
import { BulkActionsController } from './bulk-actions/bulk-actions.controller.js';
import { CallbackCallsService } from './callbacks/callback-calls.service.js';
import { CallbacksController } from './callbacks/callbacks.controller.js';
import { ChangesController } from './changes/changes.controller.js';
import { ChangesReaderService } from './changes/changes-reader.service.js';
import { ConnectionGrantsService } from './connections/connection-grants.service.js';
import { ConnectionsController } from './connections/connections.controller.js';
import { ConnectorsController } from './connectors/connectors.controller.js';
import { DocumentsController } from './documents/documents.controller.js';
import { EmergencyStopController } from './emergency-stop/emergency-stop.controller.js';
import { EvaluationsController } from './evaluations/evaluations.controller.js';
import { EventsController } from './events/events.controller.js';
import { FileLinksController } from './files/file-links.controller.js';
import { RunFilesController } from './files/run-files.controller.js';
import { FileReaderService } from './files/file-reader.service.js';
import { FilesController } from './files/files.controller.js';
import { FixtureReaderService } from './fixtures/fixture-reader.service.js';
import { FixturesController } from './fixtures/fixtures.controller.js';
import { LinkedFilesService } from './files/linked-files.service.js';
import { GroupsController } from './groups/groups.controller.js';
import { HealthController } from './health/health.controller.js';
import { MainThreadHealthService } from './health/main-thread-health.service.js';
import { ReadinessController } from './health/readiness.controller.js';
import { McpWaitsService } from './mcp/mcp-waits.service.js';
import { MembersController } from './members/members.controller.js';
import { AuthorizingBrowserService } from './oauth/authorizing-browser.service.js';
import { OauthFlowsService } from './oauth/oauth-flows.service.js';
import { OauthPagesService } from './oauth/oauth-pages.service.js';
import { OauthController } from './oauth/oauth.controller.js';
import { ApiDocumentService } from './openapi/api-document.service.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { LiveViewService } from './runs/live-view.service.js';
import { FormStartsService } from './runs/form-starts.service.js';
import { RunReaderService } from './runs/run-reader.service.js';
import { RunStartsController } from './runs/run-starts.controller.js';
import { RunWaitsService } from './runs/run-waits.service.js';
import { RunsController } from './runs/runs.controller.js';
import { SavedViewsController } from './saved-views/saved-views.controller.js';
import { SecretsController } from './secrets/secrets.controller.js';
import { PushedDocumentsController } from './sources/pushed-documents.controller.js';
import { SourcesController } from './sources/sources.controller.js';
import { StateController } from './state/state.controller.js';
import { StatisticsController } from './statistics/statistics.controller.js';
import { SyncsController } from './syncs/syncs.controller.js';
import { TriggersController } from './triggers/triggers.controller.js';
import { ModelCatalogController } from './model-catalog/model-catalog.controller.js';
import { ModelChecksController } from './model-checks/model-checks.controller.js';
import { UsageController } from './usage/usage.controller.js';
import { WebhookDeliveriesController } from './webhook-deliveries/webhook-deliveries.controller.js';
import { WebhookEndpointsController } from './webhook-endpoints/webhook-endpoints.controller.js';
import { WebhookSubscriptionsService } from './webhook-endpoints/webhook-subscriptions.service.js';
import { WorkspaceController } from './workspace/workspace.controller.js';

@Module({
  imports: [ResourceNamesModule],
  controllers: [
    AgentsController,
    AgentVersionsController,
    EvaluationsController,
    TriggersController,
    RunStartsController,
    RunsController,
    ApprovalsController,
    BulkActionsController,
    CallbacksController,
    ChangesController,
    ConnectionsController,
    ConnectorsController,
    DocumentsController,
    FileLinksController,
    FilesController,
    FixturesController,
    RunFilesController,
    SourcesController,
    PushedDocumentsController,
    OauthController,
    StateController,
    StatisticsController,
    SyncsController,
    MembersController,
    GroupsController,
    SavedViewsController,
    ApiKeysController,
    SecretsController,
    WorkspaceController,
    ModelCatalogController,
    ModelChecksController,
    UsageController,
    EmergencyStopController,
    AuditEventsController,
    EventsController,
    WebhookEndpointsController,
    WebhookDeliveriesController,
    HealthController,
    ReadinessController,
    OpenApiController,
  ],
  providers: [
    AgentChangesService,
    AgentReaderService,
    BulkActionRequestsService,
    ApiKeyRequestsService,
    CallbackCallsService,
    ChangesReaderService,
    ConnectionGrantsService,
    AuthorizingBrowserService,
    OauthFlowsService,
    OauthPagesService,
    LinkedFilesService,
    LiveViewService,
    McpWaitsService,
    FileReaderService,
    FixtureReaderService,
    FormStartsService,
    RunReaderService,
    RunWaitsService,
    WebhookSubscriptionsService,
    ApiDocumentService,
    MainThreadHealthService,
  ],
  exports: [McpWaitsService, RunReaderService],
})
export class ResourcesModule {}
