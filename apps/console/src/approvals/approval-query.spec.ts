import { approvalQuery, shownOf } from './approval-query.js';

describe('the filters of the approvals', () => {
  it('are those of the inbox without a choice: open, for the caller, the next to expire first', () => {
    expect(approvalQuery({})).toEqual({ mine: true, mode: 'production', sort: 'expires_at', order: 'asc' });
    expect(approvalQuery({ mine: 'true', agent: 'agt_1' })).toMatchObject({ mine: true, agent: 'agt_1' });
  });

  it('show test runs only by choice, as the counts do', () => {
    expect(approvalQuery({ mode: 'test' })).toMatchObject({ mode: 'test' });
    expect(approvalQuery({ mode: 'any' })).not.toHaveProperty('mode');
  });

  it('show the history newest first', () => {
    expect(approvalQuery({ status: 'rejected' })).toEqual({ status: ['rejected'], mode: 'production' });
    expect(approvalQuery({ status: 'approved,expired' })).toMatchObject({ status: ['approved', 'expired'] });
  });

  it('keep an unknown status, which the API refuses', () => {
    expect(shownOf({ status: 'bogus' })).toBe('bogus');
    expect(approvalQuery({ status: 'bogus' })).toMatchObject({ status: ['bogus'] });
  });
});
