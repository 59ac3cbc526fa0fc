import type { AgentAutomation } from '../../../../packages/sdk/src/index.js';

const AGENT_ID = /^agt_[0-9a-z]{26}$/;

/** Returns the id of an agent that is given by its id or name, for requests that accept only ids. */
export async function agentIdOf(aas: AgentAutomation, agent: string): Promise<string> {
  return AGENT_ID.test(agent) ? agent : (await aas.agents.get(agent)).id;
}
