import type { WebhookAuth } from '@app/definition';
import { webhookHandshake } from './webhook-handshake.js';

const SLACK: WebhookAuth = { scheme: 'slack', secret: 'S', toleranceMs: 300_000 };
const CONFIRMATION = { Type: 'SubscriptionConfirmation', SubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?Token=1' };
const VALIDATION = [
  { eventType: 'Microsoft.EventGrid.SubscriptionValidationEvent', data: { validationCode: '512d38b6' } },
];

describe('the verification of an address', () => {
  it('is the challenge of Slack, if Slack signed it', () => {
    const body = { type: 'url_verification', challenge: 'c' };
    expect(webhookHandshake({}, body, [{ id: 'hook', auth: SLACK }])).toEqual({
      kind: 'answer',
      body: { challenge: 'c' },
    });
    expect(webhookHandshake({}, body, [])).toBeUndefined();
  });

  it('is the validation code of Azure Event Grid', () => {
    expect(webhookHandshake({ 'aeg-event-type': 'SubscriptionValidation' }, VALIDATION, [])).toEqual({
      kind: 'answer',
      body: { validationResponse: '512d38b6' },
    });
    expect(webhookHandshake({ 'aeg-event-type': 'Notification' }, VALIDATION, [])).toBeUndefined();
    expect(webhookHandshake({ 'aeg-event-type': 'SubscriptionValidation' }, [{ data: {} }], [])).toBeUndefined();
  });

  it('is the request that Amazon SNS asks for', () => {
    const type = (name: string) => ({ 'x-amz-sns-message-type': name });
    expect(webhookHandshake(type('SubscriptionConfirmation'), CONFIRMATION, [])).toEqual({
      kind: 'confirm',
      url: CONFIRMATION.SubscribeURL,
    });
    expect(webhookHandshake(type('UnsubscribeConfirmation'), CONFIRMATION, [])).toEqual({ kind: 'ended' });
    expect(webhookHandshake(type('Notification'), CONFIRMATION, [])).toBeUndefined();
    expect(webhookHandshake({}, CONFIRMATION, [])).toBeUndefined();
  });
});
