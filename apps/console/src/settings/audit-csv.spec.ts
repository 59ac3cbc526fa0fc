import { auditCsv } from './audit-csv.js';

it('the audit log as CSV has a line for each event, and no formula of a stranger', () => {
  const event = {
    id: 'evt_1',
    actor: 'ada@example.com',
    action: 'secret.create',
    target: '=HYPERLINK("x")',
    detail: { reason: 'a, b' },
    created_at: '2026-01-31T08:00:00.000Z',
  };
  expect(auditCsv([event, { ...event, id: 'evt_2', target: null, detail: {} }]).split('\r\n')).toEqual([
    'time,actor,action,target,details,id',
    '2026-01-31T08:00:00.000Z,ada@example.com,secret.create,"\'=HYPERLINK(""x"")","{""reason"":""a, b""}",evt_1',
    '2026-01-31T08:00:00.000Z,ada@example.com,secret.create,,{},evt_2',
    '',
  ]);
});
