import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';

/** Declaration of a metric. Names follow the conventions of Prometheus: `aas_…_total`, `aas_…_seconds`. */
export interface MetricDescription<Label extends string> {
  name: string;
  help: string;
  /** Names of the labels. Their values must come from small fixed sets, never from ids or user input. */
  labels?: readonly Label[];
}

/** A metric and its values, as plain data. */
export type MetricValues = MetricObjectWithValues<MetricValue<string>>;

/**
 * The metrics of this process, and those of Node (event loop, memory, garbage collection). Declare each metric once.
 */
export class Metrics {
  private readonly registry = new Registry();
  private included: readonly MetricValues[] = [];

  /**
   * @param ofNode whether to include the metrics of Node. They describe the whole process, so only the main thread
   * includes them.
   */
  constructor({ ofNode = true } = {}) {
    if (ofNode) collectDefaultMetrics({ register: this.registry });
  }

  /** Adds the metrics of another thread of this process. Replaces the earlier report of that thread. */
  include(metrics: readonly MetricValues[]): void {
    this.included = metrics;
  }

  /** @param read callback that sets the current value; called at each read of the metrics */
  counter<Label extends string = never>(
    { name, help, labels = [] }: MetricDescription<Label>,
    read?: (counter: Counter<Label>) => void | Promise<void>,
  ): Counter<Label> {
    const counter: Counter<Label> = new Counter({
      name,
      help,
      labelNames: labels,
      registers: [this.registry],
      collect: () => read?.(counter),
    });
    return counter;
  }

  /** @param buckets upper bounds in ascending order, in the unit that the name states */
  histogram<Label extends string = never>(
    { name, help, labels = [] }: MetricDescription<Label>,
    buckets: readonly number[],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers: [this.registry] });
  }

  /** @param read sets the value; called whenever the metrics are read */
  gauge<Label extends string = never>(
    { name, help, labels = [] }: MetricDescription<Label>,
    read?: (gauge: Gauge<Label>) => void | Promise<void>,
  ): Gauge<Label> {
    const gauge: Gauge<Label> = new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [this.registry],
      collect: () => read?.(gauge),
    });
    return gauge;
  }

  async read(): Promise<MetricValues[]> {
    return (await this.combined()).getMetricsAsJSON();
  }

  /** Returns all metrics in the Prometheus text format with its content type. */
  async render(): Promise<{ contentType: string; text: string }> {
    const registry = await this.combined();
    return { contentType: registry.contentType, text: await registry.metrics() };
  }

  private async combined(): Promise<Registry> {
    if (this.included.length === 0) return this.registry;
    const own = await this.registry.getMetricsAsJSON();
    // Adds up the values of this thread and of the included thread. A metric that only one of them reports keeps its
    // value.
    return AggregatorRegistry.aggregate([own, this.included].map((each) => each.map(asSum)));
  }
}

function asSum(metric: MetricValues): MetricValues {
  return { ...metric, aggregator: 'sum' };
}
