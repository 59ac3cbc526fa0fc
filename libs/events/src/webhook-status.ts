export const ENDPOINT_STATUSES = ['enabled', 'disabled'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/** `requested`: by a user. `gone`: the endpoint answered 410. `failing`: it failed for five days. */
export const DISABLED_REASONS = ['requested', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/**
 * `pending`: due now or later, or being sent. `delivered`: answered with 2xx. `failed`: not retried. `cancelled`: its
 * endpoint was disabled or deleted before.
 *
 *     pending → delivered | failed | cancelled        each of them → pending, if a user requests a retry
 */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Without statuses: all deliveries. */
export interface DeliveryFilter {
  statuses?: readonly DeliveryStatus[] | undefined;
}
