import type { AuditEvent } from '../data/api.js';
import { latestPromotions, MAX_EVENTS, MAX_PROMOTIONS } from './audited-promotions.js';

/** Returns an audit log with one promotion for each target, newest first. `read` counts the events that were read. */
function auditLog(targets: readonly string[]) {
  const log = { read: 0, events };
  async function* events(): AsyncGenerator<AuditEvent> {
    for (const [n, target] of targets.entries()) {
      log.read++;
      await Promise.resolve();
      yield {
        id: `aud_${n}`,
        actor: 'ann@example.com',
        action: 'agent.promote',
        target,
        detail: { production_version: 9 - n, previous_version: 8 - n },
        created_at: '2026-11-01T08:00:00.000Z',
      };
    }
  }
  return log;
}

describe('the latest promotions of an agent', () => {
  it('are found after many promotions of other agents', async () => {
    const log = auditLog([...Array<string>(250).fill('agt_other'), 'agt_quiet']);
    const found = await latestPromotions(log.events(), 'agt_quiet');
    expect(found.map(({ id, by }) => [id, by])).toEqual([['aud_250', 'ann@example.com']]);
  });

  it('have both versions', async () => {
    const [first] = await latestPromotions(auditLog(['agt_a']).events(), 'agt_a');
    expect(first).toMatchObject({ version: 9, previous: 8, at: '2026-11-01T08:00:00.000Z' });
  });

  it('are no longer read when there are enough', async () => {
    const log = auditLog(Array<string>(50).fill('agt_a'));
    expect(await latestPromotions(log.events(), 'agt_a')).toHaveLength(MAX_PROMOTIONS);
    expect(log.read).toBe(MAX_PROMOTIONS);
  });

  it('are not searched in the whole audit log', async () => {
    const log = auditLog(Array<string>(MAX_EVENTS + 50).fill('agt_other'));
    expect(await latestPromotions(log.events(), 'agt_a')).toEqual([]);
    expect(log.read).toBe(MAX_EVENTS);
  });
});
