import { ApiSchema } from '@nestjs/swagger';
import type { JsonObject } from '@app/kernel';
import type { OfferedConnector } from '@app/knowledge';
import { AnyObject, Flag, Nested, OneOf, Text } from '../http/fields.js';

@ApiSchema({ description: 'A kind of system that a source can read.' })
export class Connector {
  @Text({ description: 'Kind of system; the value of `connector` in a source.', example: 'website' }) kind: string;
  @Text({ description: 'Name of the system.', example: 'Website' }) title: string;
  @Text({ description: 'What a source of this kind reads.', example: 'Pages of a site, found by following links.' })
  description: string;
  @OneOf(['none', 'secret', 'oauth'], {
    description:
      'Authorisation. `secret`: the configuration can refer to secrets. `oauth`: a person authorises each source in a browser.',
  })
  auth: string;
  @Flag({ description: '`true` if a source of this kind can be added.', example: true }) available: boolean;
  @Text({
    nullable: true,
    description: 'Reason why the connector is not available; null if it is available.',
    example: null,
  })
  unavailable_reason: string | null;
  @AnyObject({
    description: 'JSON Schema of `config` of a source.',
    example: { type: 'object', required: ['start_urls'], properties: { start_urls: { type: 'array' } } },
  })
  config_schema: JsonObject;
}

@ApiSchema({ description: 'All connectors, in the order of their kinds.' })
export class ConnectorPage {
  @Nested(Connector, { list: true, description: 'All connectors.' }) data: Connector[];
}

export function presentConnector(connector: OfferedConnector): Connector {
  const { kind, title, description, auth, unavailableReason, configSchema } = connector;
  const available = unavailableReason === null;
  return {
    kind,
    title,
    description,
    auth,
    available,
    unavailable_reason: unavailableReason,
    config_schema: configSchema,
  };
}
