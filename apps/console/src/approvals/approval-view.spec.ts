import type { Approval } from '../data/api.js';
import {
  approvalTitle,
  decisionRefusal,
  fieldText,
  fieldValue,
  labelsOf,
  requestChanges,
  shownAs,
  shownBeside,
  shownText,
} from './approval-view.js';

describe('the fields of a request', () => {
  it.each([
    ['a text', 'Ada', 'Ada'],
    ['a number', 900, '900'],
    ['a list of texts', ['a', 'b'], 'a\nb'],
    ['an object', { a: 1 }, '{\n  "a": 1\n}'],
    ['nothing', null, 'null'],
  ])('show %s, and read it back', (_kind, value, text) => {
    expect(fieldText(value)).toBe(text);
    expect(fieldValue(text, value)).toEqual(value);
  });

  it('keep a text that looks like a number a text, and send what is no number as it was typed', () => {
    expect(fieldValue('007', '006')).toBe('007');
    expect(fieldValue('a lot', 900)).toBe('a lot');
  });
});

describe('the refusal of a decision', () => {
  const open = { status: 'open', can_decide: false, cannot_decide_reason: 'not_an_approver' } as const;
  const of = (approvers: string[]) => ({ ...open, approvers }) as Partial<Approval> as Approval;

  it('says that a group does not exist, if no other group may decide', () => {
    expect(decisionRefusal(of(['finance']), ['finance'])).toBe(
      'The group finance does not exist, so no person can decide.',
    );
    expect(decisionRefusal(of(['finance', 'legal']), ['legal', 'finance'])).toMatch(/^The groups legal and finance do/);
    expect(decisionRefusal(of(['finance', 'legal']), ['legal'])).toMatch(/^You are not in a group/);
    expect(decisionRefusal(of([]), [])).toMatch(/^You are not in a group/);
  });
});

describe('the title of an approval', () => {
  const call = {
    kind: 'tool_call',
    tool: 'shop.refund',
    policy: 'large-refunds',
    request: { amount: 209, comment: 'Damaged on arrival', order_id: '1006', reason: 'x' },
    show: {},
  } as Partial<Approval> as Approval;

  it('says what the call does, and to what', () => {
    expect(approvalTitle(call, 'Refund an order')).toBe('Refund an order: amount 209, order 1006');
    expect(approvalTitle(call)).toBe('shop.refund: amount 209, order 1006');
    expect(approvalTitle({ ...call, request: { lines: [1] } })).toBe('shop.refund');
  });

  it('of a step has the values that the definition shows', () => {
    const show = { 'steps.invoice.output.total': 12.5 };
    expect(approvalTitle({ ...call, kind: 'step', tool: 'sign', request: null, show })).toBe('sign: total 12.5');
  });

  it('about an unknown outcome is the question', () => {
    expect(approvalTitle({ ...call, kind: 'in_doubt' })).toBe('Did shop.refund take effect?');
  });
});

describe('a file in a request', () => {
  const scan = { file: `file_${'0'.repeat(26)}`, filename: 'scan.pdf', content_type: 'application/pdf', bytes: 2_048 };

  it('is shown by its name and size', () => {
    expect(shownText(scan)).toBe('scan.pdf (2.0 KiB)');
    expect(shownText([scan, scan])).toBe('scan.pdf (2.0 KiB), scan.pdf (2.0 KiB)');
    expect(shownText([])).toBe('[]');
    expect(shownText('scan.pdf')).toBe('scan.pdf');
  });

  it('is read back, and can be removed', () => {
    expect(fieldValue(fieldText(scan), scan)).toEqual(scan);
    expect(fieldValue('', scan)).toBeUndefined();
    expect(fieldValue('', [scan])).toEqual([]);
  });
});

describe('the values that are shown to approvers', () => {
  const show = { 'request.amount': 900, 'request.items.size()': 2, 'steps.order.output.total': 900 };

  it('are each shown once, at the field of the request with the same value', () => {
    const request = { amount: 900, items: ['a', 'b'] };
    expect(shownAs(show, 'amount', request.amount)).toEqual(['steps.order.output.total']);
    expect(shownAs(show, 'items', request.items)).toEqual([]);
    expect(shownBeside({ request, show })).toEqual([['request.items.size()', 2]]);
  });

  it('are all shown apart if there is no request', () => {
    expect(shownBeside({ request: null, show })).toEqual(Object.entries(show));
  });
});

describe('a changed request', () => {
  it('lists the members that differ', () => {
    expect(requestChanges({ id: '7', amount: 900 }, { id: '7', amount: 500, note: 'x' })).toEqual([
      { name: 'amount', before: 900, after: 500 },
      { name: 'note', before: undefined, after: 'x' },
    ]);
  });
});

describe('the labels of values', () => {
  it('are the last parts of their paths, unless two values would have the same label', () => {
    const label = labelsOf(['steps.order.output.total', 'request.total', 'steps.order.output.customer_name']);
    expect(label('steps.order.output.customer_name')).toBe('Customer name');
    expect(label('request.total')).toBe('request.total');
  });
});
