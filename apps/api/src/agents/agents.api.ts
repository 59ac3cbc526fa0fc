import { ApiSchema } from '@nestjs/swagger';
import { AGENT_STATUSES, type AgentStatus, type EffectiveAgentStatus } from '@app/agents';
import { DefinitionFinding } from '../definitions/definitions.api.js';
import { Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';
import { PageQuery } from '../http/list-pages.js';

export class ListAgentsQuery extends PageQuery {
  @Text({ optional: true, description: 'Only the agent of this name.' }) name?: string;
  @OneOf(AGENT_STATUSES, { optional: true, description: 'Default: every agent that is not archived.' })
  status?: AgentStatus;
}

export class AgentTrigger {
  @Text({ optional: true }) id?: string;
  @Text({ example: 'email.received' }) type: string;
  @Text({ optional: true, description: 'Of an email trigger.', example: 'refunds@example.com' }) mailbox?: string;
  @Text({ optional: true, description: 'Of a schedule: five fields.', example: '0 7 * * 1-5' }) cron?: string;
  @Text({ optional: true, description: 'Of a schedule: IANA time zone.', example: 'Europe/Berlin' }) timezone?: string;
}

@ApiSchema({ name: 'Agent' })
export class AgentResource {
  @Text({ example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text({ description: "Unique among the workspace's agents that are not archived.", example: 'refund-desk' })
  name: string;
  @Text() description: string;
  @Whole({ description: 'The version that runs use.' }) production_version: number;
  @Whole({ description: 'The highest version.' }) latest_version: number;
  @OneOf(AGENT_STATUSES) status: AgentStatus;
  @OneOf([...AGENT_STATUSES, 'stopped'], { description: '`stopped` while the workspace is stopped.' })
  effective_status: EffectiveAgentStatus;
  @Nested(AgentTrigger, { list: true, description: 'What starts runs of the production version, besides the API.' })
  triggers: AgentTrigger[];
  @Timestamp() created_at: string;
  @Timestamp() updated_at: string;
}

@ApiSchema({ name: 'CreatedAgent' })
export class CreatedAgentResource extends AgentResource {
  @Text({ description: 'For the header `X-Service-Webhook-Secret`. Only this answer has it.', example: 'whsec_…' })
  webhook_secret: string;
  @Nested(DefinitionFinding, { list: true, description: 'What its author ought to know about the definition.' })
  warnings: DefinitionFinding[];
}
