import { ApiSchema } from '@nestjs/swagger';
import { ArrayMinSize } from 'class-validator';
import { Flag, Id, Nested, OneOf, Text } from '../http/fields.js';

@ApiSchema({ name: 'McpClientSummary', description: 'A client that asks for access.' })
export class McpClientSummary {
  @Text({
    description: 'Address of the metadata document, or id of the registration.',
    example: 'https://assistant.example/oauth/client.json',
  })
  id: string;
  @Text({ description: 'Name that the client gives itself.', example: 'Assistant' })
  name: string;
  @Text({
    description: 'Host of the metadata document, or else of the redirect address.',
    example: 'assistant.example',
  })
  host: string;
}

@ApiSchema({ name: 'McpRequestAgent', description: 'An agent that the person can choose.' })
export class McpRequestAgent {
  @Id('agent') id: string;
  @Text({ description: 'Name of the agent.', example: 'refund-desk' }) name: string;
}

@ApiSchema({ name: 'McpAccessRequest', description: 'A request of an MCP client for access.' })
export class McpAccessRequest {
  @Nested(McpClientSummary, { description: 'The client.' }) client: McpClientSummary;
  @Text({ description: 'Host to which the browser returns after the decision.', example: 'assistant.example' })
  redirect_host: string;
  @Text({ description: 'Address of the MCP server.', example: 'https://agents.example.com/v1/mcp' }) resource: string;
  @Nested(McpRequestAgent, { list: true, description: 'Agents that are not archived, at most 1 000, by name.' })
  agents: McpRequestAgent[];
  @Flag({ description: 'Whether the person can give access to the address for authoring.' }) may_author: boolean;
}

export const DECISIONS = ['allow', 'deny'] as const;

@ApiSchema({ name: 'DecideMcpAccessBody', description: 'A decision about a request for access.' })
export class DecideMcpAccessBody {
  @OneOf(DECISIONS, { description: 'Whether the client gets access.' }) decision: (typeof DECISIONS)[number];
  @Text({
    optional: true,
    nullable: true,
    list: true,
    most: 100,
    description: 'Ids of the agents that the client may use, at most 100. Default: all agents.',
    example: ['agt_01kahzvk3te9d8q6f0f1v3m2sx'],
  })
  @ArrayMinSize(1, { message: 'agents must contain at least one agent; send null for all agents' })
  agents?: string[] | null;
}

@ApiSchema({ name: 'McpAccessDecision', description: 'Where the browser goes after a decision.' })
export class McpAccessDecision {
  @Text({
    description: 'Redirect address of the client, with `code` or `error`.',
    example: 'https://assistant.example/callback?code=…',
  })
  redirect_to: string;
}
