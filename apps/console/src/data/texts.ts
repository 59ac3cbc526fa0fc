/** Returns the label of a field without a title, for example `Order id` for `steps.order.output.order_id`. */
export function labelText(path: string): string {
  return capitalized(nameText(path));
}

/** Returns the last name of a path, for example `order id` for `steps.order.output.order_id`. */
export function nameText(path: string): string {
  return (path.split('.').at(-1) ?? path).replaceAll('_', ' ');
}

export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Returns `a, b and c`. */
export function listText(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
