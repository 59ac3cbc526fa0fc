import { Clock, DomainError, isId, notFound } from '@app/kernel';
import { type Transaction, Transactions } from '@app/platform/database';
import { ROLES, type Scope, scopesOf } from '@app/workspace';
import { type ModelsConfig, modelsConfig } from '@app/platform/models';
import { Inject, Injectable } from '@nestjs/common';
import { type AgentPrecondition, requireExpected } from '../lifecycle/agent-lifecycle.service.js';
import type { AgentEntity } from '../records/agent.entity.js';
import { AgentRepository } from '../records/agent.repository.js';
import type { Actor } from '../lifecycle/agents.service.js';
import { CompiledVersionsService } from '../definitions/compiled-versions.service.js';
import type { CompiledDefinition, DefinitionWarning } from '@app/definition';
import { endingModels } from '../definitions/model-warnings.js';
import { type Promoted, PromotionRecordsService } from './promotion-records.service.js';
import { NamedConnectionsService } from '../definitions/named-connections.service.js';
import { NamedSecretsService } from '../definitions/named-secrets.service.js';
import { requireEvidence } from './promotion-evidence.js';

interface UnpromotedRun {
  runId: string;
  agentId: string;
  version: number;
  mayPromote: boolean;
}

export type CheckedPromotion = Promoted & { warnings: readonly DefinitionWarning[] };

@Injectable()
export class PromotionsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly agents: AgentRepository,
    private readonly versions: CompiledVersionsService,
    private readonly records: PromotionRecordsService,
    private readonly secrets: NamedSecretsService,
    private readonly connections: NamedConnectionsService,
    private readonly clock: Clock,
    @Inject(modelsConfig.KEY) private readonly models: ModelsConfig,
  ) {}

  /**
   * New runs use it, and runs accepted earlier keep their version. The agent takes over the name, description and
   * labels of the version. If two promotions run concurrently, the second one is rejected.
   * @throws DomainError `not_found`, `agent_archived`, `precondition_failed` (also after a concurrent promotion),
   * `name_taken`, `unknown_reference` (a secret or a connection), and the errors of {@link requireEvidence}
   */
  async promote(
    actor: Actor,
    agentId: string,
    version: number,
    isExpected?: AgentPrecondition,
  ): Promise<CheckedPromotion> {
    const { workspaceId } = actor;
    if (!isId('agent', agentId)) throw notFound('agent', agentId);
    const seen = await this.agents.find(workspaceId, agentId);
    if (!seen) throw notFound('agent', agentId);
    const definition = await this.versions.get(workspaceId, agentId, version);
    const promoted = await this.transactions.run(async (transaction) => {
      const agent = await this.agents.lockActive(workspaceId, agentId, transaction);
      if (agent.productionVersion === version) return this.records.current(agent, transaction);
      requireExpected(agent, isExpected);
      if (agent.productionVersion !== seen.productionVersion) throw overtaken(seen, agent);
      return this.change(actor, agent, { version, definition }, transaction);
    });
    this.versions.invalidateProduction(workspaceId, agentId);
    return { ...promoted, warnings: endingModels(this.models.modelProviders, definition, this.clock.now()) };
  }

  /**
   * A version that is or was in production is always admitted. Any other version needs what its promotion needs: the
   * right and the evidence.
   * @throws DomainError `insufficient_scope`, and the errors of {@link requireEvidence}
   */
  async admitRun(actor: Actor, { runId, agentId, version, mayPromote }: UnpromotedRun): Promise<void> {
    const { workspaceId } = actor;
    const definition = await this.versions.get(workspaceId, agentId, version);
    await this.transactions.run(async (transaction) => {
      const evaluated = { workspaceId, agentId, version };
      if (await this.records.wasInProduction(evaluated, transaction)) return;
      if (!mayPromote) throw mayNotPromote(version);
      const { productionVersion } = await this.agents.lockActive(workspaceId, agentId, transaction);
      const evaluation = await this.records.latestEvaluation(evaluated, transaction);
      const gate = definition.evaluation?.gate ?? null;
      requireEvidence({ version, gate, productionVersion, wasInProduction: false, evaluation }, this.clock.now());
      await this.records.addRun(actor, evaluated, { runId, evaluation }, transaction);
    });
  }

  private async change(
    actor: Actor,
    agent: AgentEntity,
    { version, definition }: { version: number; definition: CompiledDefinition },
    transaction: Transaction,
  ): Promise<Promoted> {
    const { id: agentId, workspaceId, productionVersion } = agent;
    const evaluated = { workspaceId, agentId, version };
    const evaluation = await this.records.latestEvaluation(evaluated, transaction);
    const wasInProduction = await this.records.wasInProduction(evaluated, transaction);
    const gate = definition.evaluation?.gate ?? null;
    requireEvidence({ version, gate, productionVersion, wasInProduction, evaluation }, this.clock.now());
    const { name, description, labels, mcp } = definition;
    if (!wasInProduction) {
      await this.secrets.require(workspaceId, definition.secrets, transaction);
      await this.connections.require(workspaceId, definition, { id: agentId, name }, transaction);
    }
    const mcpTool = mcp?.tool ?? null;
    await this.agents.promote(
      agent,
      { version, name, description: description ?? '', labels: { ...labels }, mcpTool },
      transaction,
    );
    return this.records.add(actor, agent, { version, evaluation }, transaction);
  }
}

function mayNotPromote(version: number): DomainError {
  const scope: Scope = 'agents:promote';
  const detail = `Version ${version} was never in production. A run of it in mode \`production\` needs the scope ${scope}. Start it in mode \`test\`, or use a key with this scope.`;
  const extensions = { required_scope: scope, required_role: ROLES.find((role) => scopesOf(role).has(scope)) ?? null };
  return new DomainError('insufficient_scope', detail, { extensions });
}

function overtaken(seen: AgentEntity, agent: AgentEntity): DomainError {
  const detail = `Version ${agent.productionVersion} was promoted at the same moment and replaced version ${seen.productionVersion}. Review it before you promote another version.`;
  return new DomainError('precondition_failed', detail, {
    extensions: { production_version: agent.productionVersion },
  });
}
