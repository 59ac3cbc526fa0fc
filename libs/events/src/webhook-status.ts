export const ENDPOINT_STATUSES = ['enabled', 'disabled'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/**
 * Why an endpoint is disabled. `requested`: a user disabled it. `gone`: the endpoint responded with 410. `failing`: its
 * deliveries failed for five days.
 */
export const DISABLED_REASONS = ['requested', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/**
 * Status of a delivery. `pending`: due now or later, or being sent. `delivered`: the endpoint responded with 2xx.
 * `failed`: the last attempt failed and there is no retry. `cancelled`: the endpoint was disabled or deleted before the
 * delivery.
 *
 *     pending → delivered | failed | cancelled        each of them → pending, if a user requests a retry
 */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface DeliveryFilter {
  statuses?: readonly DeliveryStatus[] | undefined;
}
