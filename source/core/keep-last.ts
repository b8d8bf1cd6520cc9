/** Sets a member of a map that keeps the `max` members that were set last. */
export function keepLast<Key, Value>(
	map: Map<Key, Value>,
	[key, value]: readonly [Key, Value],
	max: number,
): void {
	map.delete(key);
	map.set(key, value);
	const [oldest] = map.keys();
	if (map.size > max && oldest !== undefined) {
		map.delete(oldest);
	}
}
