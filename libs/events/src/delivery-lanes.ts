interface ForEndpoint {
  endpointId: string;
}

interface Lane<Delivery> {
  waiting: Delivery[];
  underWay: number;
}

export interface LaneLimits {
  perEndpoint: number;
  inAll: number;
}

/**
 * Endpoints take turns, and the number of concurrent requests to each endpoint is limited, so that a slow endpoint does
 * not delay other endpoints.
 */
export class DeliveryLanes<Delivery extends ForEndpoint> {
  // A Map iterates in the order of insertion; reinserting a lane moves it to the end.
  private readonly lanes = new Map<string, Lane<Delivery>>();
  private underWay = 0;

  constructor(
    private readonly limits: LaneLimits,
    private readonly send: (delivery: Delivery) => Promise<void>,
  ) {}

  add(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) this.laneOf(delivery.endpointId).waiting.push(delivery);
    this.start();
  }

  takeBack(endpointId: string): Delivery[] {
    const lane = this.lanes.get(endpointId);
    return lane ? lane.waiting.splice(0) : [];
  }

  takeBackAll(): Delivery[] {
    return [...this.lanes.keys()].flatMap((endpointId) => this.takeBack(endpointId));
  }

  private laneOf(endpointId: string): Lane<Delivery> {
    const known = this.lanes.get(endpointId);
    if (known) return known;
    const lane = { waiting: [], underWay: 0 };
    this.lanes.set(endpointId, lane);
    return lane;
  }

  private start(): void {
    // A lane that sends a delivery moves to the end of the map, so the loop visits it once more. The loop ends when no
    // further delivery can begin.
    for (const [endpointId, lane] of this.lanes) {
      if (this.underWay >= this.limits.inAll) return;
      const next = lane.underWay < this.limits.perEndpoint ? lane.waiting.shift() : undefined;
      if (!next) continue;
      this.lanes.delete(endpointId);
      this.lanes.set(endpointId, lane);
      this.begin(next, lane);
    }
  }

  private begin(delivery: Delivery, lane: Lane<Delivery>): void {
    lane.underWay += 1;
    this.underWay += 1;
    void this.send(delivery).finally(() => {
      lane.underWay -= 1;
      this.underWay -= 1;
      if (lane.underWay === 0 && lane.waiting.length === 0) this.lanes.delete(delivery.endpointId);
      this.start();
    });
  }
}
