import { foundAgents, orderedAgents } from './agent-order.js';
import { healthOf, type RunStatistic } from './run-statistic.js';

const AGENTS = [
  { id: 'agt_1', name: 'refund-desk', description: 'Answers e-mails.', project: 'support' },
  { id: 'agt_2', name: 'claims', description: 'Decides about refunds.', project: null },
  { id: 'agt_3', name: 'report', description: 'Sends a report.', project: 'support' },
];
const names = (agents: readonly { name: string }[]): string[] => agents.map(({ name }) => name);

describe('the list of agents', () => {
  it('finds words in the name, the description and the project, names first', () => {
    expect(names(foundAgents(AGENTS, 'refund'))).toEqual(['refund-desk', 'claims']);
    expect(names(foundAgents(AGENTS, 'SUPPORT sends'))).toEqual(['report']);
    expect(foundAgents(AGENTS, ' ')).toBe(AGENTS);
  });

  it('sorts by name and by figures, agents without a figure last', () => {
    const ended = { runs: 2, failed: 1, cost: { amount: '1.50', currency: 'EUR' } };
    const health = healthOf([
      { ...ended, agent: 'agt_1' },
      { ...ended, agent: 'agt_3', runs: 10, cost: { amount: '0.25', currency: 'EUR' } },
    ] as RunStatistic[]);
    const figures = { health, lastRuns: new Map([['agt_2', '2026-01-31T00:00:00.000Z']]) };
    const by = (sort: 'name' | 'runs' | 'cost' | 'last_run', descending: boolean): string[] =>
      names(orderedAgents(AGENTS, { sort, descending }, figures));
    expect(by('name', false)).toEqual(['claims', 'refund-desk', 'report']);
    expect(by('runs', true)).toEqual(['report', 'refund-desk', 'claims']);
    expect(by('cost', true)).toEqual(['refund-desk', 'report', 'claims']);
    expect(by('cost', false)).toEqual(['report', 'refund-desk', 'claims']);
    expect(by('last_run', true)[0]).toBe('claims');
  });

  it('has one cost of an agent for all days, by currency', () => {
    const day = { agent: 'agt_1', runs: 1, failed: 0 };
    const costs = [
      { amount: '0.25', currency: 'EUR' },
      { amount: '2', currency: 'USD' },
      { amount: '0.50', currency: 'EUR' },
    ];
    const health = healthOf(costs.map((cost) => ({ ...day, cost })) as RunStatistic[]);
    expect(health.get('agt_1')?.costs).toEqual([
      { amount: '0.75', currency: 'EUR' },
      { amount: '2', currency: 'USD' },
    ]);
  });
});
