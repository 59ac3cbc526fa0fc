import { DomainError } from '@app/kernel';
import type { AgentEntity } from './agent.entity.js';

export function nameTaken(name: string): DomainError {
  const detail = `Another agent of this workspace has the name ${JSON.stringify(name)}. Choose another name or archive that agent.`;
  return new DomainError('name_taken', detail, { errors: [{ pointer: '/name', detail }] });
}

export function agentArchived(agent: AgentEntity): DomainError {
  return new DomainError(
    'agent_archived',
    `The agent ${JSON.stringify(agent.name)} is archived and cannot be changed.`,
  );
}
