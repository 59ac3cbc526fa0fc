import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { MailSender } from '../../support/mail/mail-sender.js';
import { aToolAgent } from '../../support/tool-agents.js';
import { FaultScene, RECOVERY } from '../fault-scene.js';

const MAILS = 24;
const RELAYS = 4;
const TO = 'desk@example.com';

describe('mails from relays that repeat until they get a 250', () => {
  let scene: FaultScene;
  let relay: MailSender;
  let agent: string;

  beforeAll(async () => {
    const port = await freePort();
    relay = new MailSender(port);
    scene = await FaultScene.start({ env: { SMTP_LISTEN_PORT: String(port) } });
    agent = await scene.stack.client.createAgent({
      ...aToolAgent('desk', scene.ledger.url, [['idempotent', '/mail']]),
      triggers: [{ id: 'inbox', type: 'email.received', mailbox: TO, map: { subject: '${{ email.subject }}' } }],
    });
  });
  afterEach(() => scene.reset());
  afterAll(() => scene.stop());

  const mail = (id: string) => ({
    from: 'ann@example.com',
    to: TO,
    subject: id,
    text: id,
    messageId: `<${id}@example.com>`,
  });
  const runsOf = (prefix: string) =>
    scene.query<{ id: string; message: string }>(
      `select id, trigger ->> 'message_id' as message from runs where agent_id = $1 and trigger ->> 'message_id' like $2 order by 2`,
      [agent, `<${prefix}-%`],
    );

  it('start one run each and none is lost while API and workers are killed', () =>
    scene.scenario(async () => {
      await scene.stack.addWorker();
      const ids = Array.from({ length: MAILS }, (_, n) => `killed-${String(n).padStart(2, '0')}`);
      const waiting = [...ids];
      let taken = 0;
      const work = async (): Promise<void> => {
        for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
          expect(await relay.sendUntilTaken(mail(id))).toMatchObject({ code: 250 });
          taken += 1;
        }
      };
      const kill = async (after: number): Promise<void> => {
        await eventually(() => expect(taken).toBeGreaterThanOrEqual(after), RECOVERY);
        await Promise.all([scene.stack.api.kill(), ...scene.stack.workers.map((worker) => worker.kill())]);
        await scene.stack.startApi();
        await scene.stack.addWorker();
      };
      await Promise.all([kill(5), ...Array.from({ length: RELAYS }, work)]);
      const runs = await runsOf('killed');
      expect(runs.map(({ message }) => message)).toEqual(ids.map((id) => `<${id}@example.com>`));
      expect(await scene.settled(runs.map(({ id }) => id))).toEqual({ succeeded: MAILS });
    }));

  it('start one run if the response of the commit is lost and the relay repeats the mail', () =>
    scene.scenario(async () => {
      const lost = scene.network.loseAnswers('run_machine_take_event');
      const first = await relay.send(mail('lost-1'));
      await lost;
      expect(first).toMatchObject({ code: 451 });
      expect(await relay.send(mail('lost-1'))).toMatchObject({ code: 250 });
      const runs = await runsOf('lost');
      expect(runs).toHaveLength(1);
      await scene.stack.addWorker();
      expect(await scene.settled(runs.map(({ id }) => id))).toEqual({ succeeded: 1 });
    }));

  it('stay with their relay during a database outage', () =>
    scene.scenario(async () => {
      scene.network.blackhole();
      scene.network.reset();
      expect(await relay.send(mail('away-1'))).toMatchObject({ code: 451 });
      scene.network.heal('lost');
      expect(await relay.sendUntilTaken(mail('away-1'))).toMatchObject({ code: 250 });
      expect(await runsOf('away')).toHaveLength(1);
    }));
});
