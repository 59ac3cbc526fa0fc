import { ApiSchema } from '@nestjs/swagger';
import { AGENT_STATUSES, type AgentFilter, type AgentStatus, type EffectiveAgentStatus } from '@app/agents';
import type { JsonObject } from '@app/kernel';
import { agentsOf, type Principal } from '@app/workspace';
import { DefinitionFinding } from '../definitions/definitions.api.js';
import { Flag, Id, Name, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';
import { PageQuery } from '../http/list-pages.service.js';

const AGENT_STATUS_VALUES =
  '`active`: triggers start runs. `paused`: only the API starts runs. `archived`: nothing starts runs.';

export class ListAgentsQuery extends PageQuery {
  @Text({ optional: true, description: 'Exact name of the agent.', example: 'refund-desk' }) name?: string;
  @OneOf(AGENT_STATUSES, {
    optional: true,
    description: `Status of the agents. Default: all except \`archived\`. ${AGENT_STATUS_VALUES}`,
  })
  status?: AgentStatus;
  @Text({ optional: true, description: 'Exact name of the project.', example: 'support' }) project?: string;
}

export function agentFilter({ name, status, project }: ListAgentsQuery): AgentFilter & JsonObject {
  return {
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
    ...(project !== undefined && { project }),
  };
}

/** Selects the agents that match the query and exist for the caller. */
export function listedAgents(query: ListAgentsQuery, principal: Principal): AgentFilter {
  const ids = agentsOf(principal);
  return { ...agentFilter(query), ...(ids && { ids }) };
}

export class ProjectQuery {
  @Name({
    optional: true,
    maxLength: 100,
    description:
      'Name of the project (`project` in `aas.yaml`) that contains the definition. Without this parameter, the ' +
      'project of the agent does not change.',
    example: 'support',
  })
  project?: string;
}

export class NewAgentQuery extends ProjectQuery {
  @Flag({
    optional: true,
    default: false,
    description: '`true` creates the agent paused: no trigger starts a run before the agent is resumed.',
  })
  paused = false;
}

@ApiSchema({ description: 'A trigger as the definition declares it.' })
export class AgentTrigger {
  @Text({ optional: true, description: 'Id of the trigger in the definition.', example: 'inbox' }) id?: string;
  @Text({ description: 'Type: `email.received`, `webhook`, `schedule` or `poll`.', example: 'email.received' })
  type: string;
  @Text({ optional: true, description: 'Mailbox of an e-mail trigger.', example: 'refunds@example.com' })
  mailbox?: string;
  @Text({ optional: true, description: 'Cron expression of a schedule, with five fields.', example: '0 7 * * 1-5' })
  cron?: string;
  @Text({ optional: true, description: 'IANA time zone of the cron expression.', example: 'Europe/Berlin' })
  timezone?: string;
  @Text({ optional: true, description: 'Operation that a poll calls.', example: 'shop.orders' }) tool?: string;
  @Text({ optional: true, description: 'Interval of a poll.', example: '5m' }) every?: string;
}

@ApiSchema({ description: 'The daily budget of an agent, and what its runs have spent and reserved of it.' })
export class AgentBudget {
  @Text({ description: '`limits.budget.per_day` of the production version.', example: '2.00' }) per_day: string;
  @Text({ description: 'Currency code (ISO 4217).', example: 'EUR' }) currency: string;
  @Text({ description: 'Cost of the runs of the agent since midnight UTC.', example: '1.60' }) spent_today: string;
  @Text({
    description:
      'Estimated cost of the model calls of running runs. A model call begins only while `spent_today` and `reserved` are below `per_day`.',
    example: '0.05',
  })
  reserved: string;
  @Timestamp({ description: 'Next midnight UTC.' }) resets_at: string;
}

@ApiSchema({ name: 'Agent', description: 'An automation that a definition describes.' })
export class AgentResource {
  @Id('agent') id: string;
  @Text({ description: "Name, unique among the workspace's agents that are not archived.", example: 'refund-desk' })
  name: string;
  @Text({ description: 'Description from the definition.', example: 'Answers refund e-mails.' }) description: string;
  @Whole({ description: 'Number of the version that new runs use.', example: 3 }) production_version: number;
  @Whole({ description: 'Number of the latest version.', example: 4 }) latest_version: number;
  @OneOf(AGENT_STATUSES, { description: `Status of the agent. ${AGENT_STATUS_VALUES}` }) status: AgentStatus;
  @OneOf([...AGENT_STATUSES, 'stopped'], {
    description: 'Status of the agent, or `stopped` while the workspace is stopped.',
  })
  effective_status: EffectiveAgentStatus;
  @Nested(AgentTrigger, { list: true, description: 'Triggers of the production version.' })
  triggers: AgentTrigger[];
  @Text({
    nullable: true,
    description: 'Name of the project that the agent was last applied from; null if there is none.',
    example: 'support',
  })
  project: string | null;
  @Text({
    nullable: true,
    description: 'Name of the tool as which assistants use the production version; null if it is not exposed.',
    example: 'refund_desk',
  })
  mcp_tool: string | null;
  @Nested(AgentBudget, { nullable: true, description: 'Daily budget; null if there is none. `ETag` leaves it out.' })
  budget: AgentBudget | null;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
  @Timestamp({ description: 'Time of the last change.' }) updated_at: string;
}

@ApiSchema({ name: 'CreatedAgent', description: 'A new agent with its webhook secret.' })
export class CreatedAgentResource extends AgentResource {
  @Text({
    description:
      'Webhook secret of the agent, for the header `X-Service-Webhook-Secret`. Only this response contains it.',
    example: 'whsec_…',
  })
  webhook_secret: string;
  @Nested(DefinitionFinding, { list: true, description: 'Findings about the definition that do not prevent its use.' })
  warnings: DefinitionFinding[];
}
