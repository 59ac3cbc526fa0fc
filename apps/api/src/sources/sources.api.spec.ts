import { DomainError } from '@app/kernel';
import { validateRequest } from '../http/request-validation.js';
import { ChangeSourceBody, CreateSourceBody } from './sources.api.js';

describe('the body of a source', () => {
  it.each([
    [CreateSourceBody, { connector: 'website', start_urls: ['https://example.com'] }],
    [ChangeSourceBody, { start_urls: ['https://example.com'] }],
  ])('says where the fields of its connector belong: %p', (shape, body) => {
    let refused: unknown;
    try {
      validateRequest<object>(shape, body, 'body');
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(DomainError);
    expect(refused).toMatchObject({
      errors: [
        {
          pointer: '/start_urls',
          detail: 'There is no field "start_urls".',
          suggestion: 'Put the fields of the connector into `config`: {"config": {"start_urls": …}}.',
        },
      ],
    });
  });
});
