import { randomUUID } from 'node:crypto';
import type { ApprovalDecision, Decider } from '../records/approval-status.js';
import { aGate, aWrite, RunMachine } from '../testing/run-machine.js';

const REFUSAL = `select run_machine.may_decide(a, $2, $3, $4, $5) as refusal from approvals a where a.id = $1`;
const MINE = `select a.id from approvals a
  where a.workspace_id = $1 and a.status = 'open' and run_machine.may_decide(a, null, $2, $3, $4) is null order by a.id`;

const eve: Decider = { email: 'eve@example.com', groups: ['finance'], isAdmin: false };
const bob: Decider = { email: 'bob@example.com', groups: ['finance'], isAdmin: false };
const admin: Decider = { email: 'root@example.com', groups: [], isAdmin: true };

describe('the rule who may decide', () => {
  let machine: RunMachine;

  beforeAll(async () => {
    machine = await RunMachine.create();
  });

  afterAll(() => machine.close());

  /** Creates an open approval for a write operation of Eve's run. Returns its id. */
  const anApproval = async (rule: Parameters<typeof aGate>[0] = {}): Promise<string> => {
    const run = await machine.aClaimedRun({ initiator: eve.email });
    const intents = [{ ...aWrite('pay'), request: { amount: 900 }, gate: aGate(rule) }];
    await machine.store.advance(run, randomUUID(), { results: [], notes: [], intents });
    const [row] = await machine.query<{ id: string }>('select id from approvals where run_id = $1', [run.id]);
    return row!.id;
  };

  const refusalOf = async (id: string, decider: Decider, decision: ApprovalDecision | null = null) => {
    const values = [id, decision, decider.email, decider.groups, decider.isAdmin];
    const [row] = await machine.query<{ refusal: string | null }>(REFUSAL, values);
    return row!.refusal;
  };

  it('answers null to a member of its groups, and else the error code of the refusal', async () => {
    const id = await anApproval();
    expect(await refusalOf(id, bob)).toBeNull();
    expect(await refusalOf(id, admin)).toBe('not_an_approver');
    expect(await refusalOf(id, eve)).toBe('self_approval_forbidden');
  });

  it('counts admins where the approval names no group, and the initiator where the rule allows that', async () => {
    const ofAdmins = await anApproval({ rule: { approvers: [] } });
    expect(await refusalOf(ofAdmins, admin)).toBeNull();
    expect(await refusalOf(ofAdmins, bob)).toBe('not_an_approver');
    expect(await refusalOf(await anApproval({ rule: { selfApproval: true } }), eve)).toBeNull();
  });

  it('refuses a decision that the kind of the approval does not know', async () => {
    const id = await anApproval();
    expect(await refusalOf(id, bob, 'edit')).toBeNull();
    expect(await refusalOf(id, bob, 'retry')).toBe('invalid_request');
    expect(await refusalOf(id, admin, 'retry')).toBe('not_an_approver');
  });

  it('refuses every decision about an approval that is closed', async () => {
    const id = await anApproval();
    await machine.query(`update approvals set status = 'cancelled', decided_at = clock_timestamp() where id = $1`, [
      id,
    ]);
    expect(await refusalOf(id, bob)).toBe('approval_already_decided');
    expect(await refusalOf(id, admin, 'retry')).toBe('approval_already_decided');
  });

  it('selects the open approvals that a person may decide', async () => {
    await machine.query(
      `update approvals set status = 'cancelled', decided_at = clock_timestamp() where status = 'open'`,
    );
    const ofFinance = await anApproval();
    const ofAdmins = await anApproval({ rule: { approvers: [] } });
    const mine = async (decider: Decider) =>
      (
        await machine.query<{ id: string }>(MINE, [machine.workspaceId, decider.email, decider.groups, decider.isAdmin])
      ).map(({ id }) => id);
    expect(await mine(bob)).toEqual([ofFinance]);
    expect(await mine(admin)).toEqual([ofAdmins]);
    expect(await mine(eve)).toEqual([]);
  });
});
