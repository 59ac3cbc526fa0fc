export const ENDPOINT_STATUSES = ['enabled', 'disabled'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/** Why an endpoint is disabled: somebody asked for it, it answered 410, or it failed for five days. */
export const DISABLED_REASONS = ['requested', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/**
 * `pending`: due at some time, or being sent · `delivered`: answered 2xx · `failed`: not tried again · `cancelled`: its
 * endpoint was disabled or deleted before.
 *
 *     pending → delivered | failed | cancelled        every one of them → pending, when somebody asks for a retry
 */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Which deliveries of an endpoint are listed. Without statuses: all. */
export interface DeliveryFilter {
  statuses?: readonly DeliveryStatus[] | undefined;
}
